// A classifier's own predictions against the answers, as the linear protocol scores its probes:
// accuracy and F1 of single-label tasks, ROC-AUC of multi-label ones.
#pragma once

#include "eval/probe.h"

namespace gs {

// `scores`: N x classes on the CPU. Percent, over the labelled nodes of the split's validation set.
// Never reads another label. Scores that are not numbers count as wrong.
double validation_score(const at::Tensor& scores, const Labels& labels, const Split& split);

// Validation and test.
ProbeRun score_predictions(const at::Tensor& scores, const Labels& labels, const Split& split);

}  // namespace gs
