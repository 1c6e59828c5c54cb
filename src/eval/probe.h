// The linear protocol: logistic regression on frozen embeddings, one fresh probe per split, all
// splits trained as one batched problem. Xavier weights, Adam, scored on the validation nodes every
// few steps, the test nodes read once, at the best validation step (the first of equals). `lbfgs`
// instead fits to convergence with the L2 penalty chosen on validation. Single-label tasks minimize
// cross-entropy and are scored by accuracy; multi-label ones binary cross-entropy and ROC-AUC.
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

// `x`: N rows, dense or sparse (bag-of-words features stay sparse). Data Error if a set of a split
// has no labeled node, if x does not have one row per label, or if it holds NaN. `first`: the
// predictions of the first split's probe for its test nodes.
Score linear_probe(const Input& x, const Labels& labels, const std::vector<Split>& splits,
                   const ProbeOptions& options, uint64_t seed, Predictions* first = nullptr);

// Only the validation part of linear_probe, for --select val: the best validation score of each
// split. Never reads a test node.
std::vector<double> validation_scores(const at::Tensor& z, const Labels& labels,
                                      const std::vector<Split>& splits, const ProbeOptions& options,
                                      uint64_t seed);

}  // namespace gs
