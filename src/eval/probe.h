// The linear protocol: logistic regression on frozen embeddings, one fresh probe per split. Two
// probes:
//
// - `logistic` scales rows to length 1 and fits to convergence, with the L2 penalty chosen on the
//   validation nodes (the strongest of equals). It does not depend on the coordinates.
// - `paper` has Xavier weights and a fixed number of Adam steps, and is scored on the validation
//   nodes every few steps; the best step counts (the first of equals).
//
// Test nodes are read once. Single-label tasks minimize cross-entropy and are scored by accuracy,
// or with two classes by ROC-AUC if asked for; multi-label ones binary cross-entropy and ROC-AUC.
// Weights that overflow are never chosen; a split that has no others scores 0, at step 0.
//
// Thread safety: two threads may probe at once; each gets the bits that it would get alone.
#pragma once

#include <vector>

#include "dataset/dataset.h"
#include "eval/score.h"
#include "nn/features.h"
#include "options/probe.h"

namespace gs {

// `options.probe` is one of the two. `x`: N rows, dense or sparse (bag-of-words features stay
// sparse). Data Error if a set of a split has no labeled node, if x does not have one row per
// label, or if it holds NaN. `first`: the predictions of the first split's probe for its test
// nodes.
Score linear_probe(const Input& x, const Labels& labels, const std::vector<Split>& splits,
                   const ProbeOptions& options, uint64_t seed, Predictions* first = nullptr);

// Only the validation part of linear_probe, for --select val: the best validation score of each
// split. Never reads a test node.
std::vector<double> validation_scores(const at::Tensor& z, const Labels& labels,
                                      const std::vector<Split>& splits, const ProbeOptions& options,
                                      uint64_t seed);

}  // namespace gs
