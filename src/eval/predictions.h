// A classifier's own predictions against the labels, scored as the linear protocol scores its
// probes.
#pragma once

#include <ATen/ATen.h>

#include <filesystem>

#include "eval/score.h"

namespace gs {

// `scores`: N x classes on the CPU. Percent, over the labeled nodes of the split's validation set.
// Never reads another label. Scores that are not numbers count as wrong.
double validation_score(const at::Tensor& scores, const Labels& labels, const Split& split,
                        Metric metric = Metric::automatic);

// Validation and test; `predictions`, if not nullptr, gets those of the test nodes.
ProbeScore score_predictions(const at::Tensor& scores, const Labels& labels, const Split& split,
                             Metric metric = Metric::automatic, Predictions* predictions = nullptr);

// An .npy with one entry for each of `nodes` nodes, in the form of labels.npy: the class, -1 for a
// node without a prediction; or a row of zeros and ones, of 255 for such a node.
void save_predictions(const std::filesystem::path& path, const Predictions& predictions,
                      const Labels& labels, int64_t nodes);

}  // namespace gs
