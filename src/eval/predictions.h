// A classifier's own predictions against the answers, as the linear protocol scores its probes:
// accuracy and F1 of single-label tasks, ROC-AUC of multi-label ones.
#pragma once

#include <filesystem>

#include "eval/probe.h"

namespace gs {

// `scores`: N x classes on the CPU. Percent, over the labelled nodes of the split's validation set.
// Never reads another label. Scores that are not numbers count as wrong.
double validation_score(const at::Tensor& scores, const Labels& labels, const Split& split);

// Validation and test; `told`: what the test nodes are taken for.
ProbeRun score_predictions(const at::Tensor& scores, const Labels& labels, const Split& split,
                           Predictions* told = nullptr);

// An .npy with an entry for each of `nodes` nodes, in the form of labels.npy: the class, -1 for a
// node that was not told; or a row of zeros and ones, of 255 for such a node.
void save_predictions(const std::filesystem::path& path, const Predictions& told,
                      const Labels& labels, int64_t nodes);

}  // namespace gs
