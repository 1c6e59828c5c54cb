// The linear protocol: logistic regression on frozen embeddings, one fresh probe a split, all
// splits trained as one batched problem. Xavier weights, Adam, scored on the validation nodes every
// few steps, the test nodes read once, at the best validation step (the first of equals). `lbfgs`
// instead fits to convergence with the L2 penalty chosen on validation. Single-label tasks minimise
// cross-entropy and are scored by accuracy; multi-label ones binary cross-entropy and ROC-AUC.
// Weights that overflow are never chosen; a run that has no others scores 0, at step 0.
#pragma once

#include <string>
#include <vector>

#include "config/probe_options.h"
#include "dataset/dataset.h"
#include "nn/features.h"

namespace gs {

struct ProbeRun {                     // percent
  double validation = 0, test = 0;    // accuracy, or macro ROC-AUC
  double macro_f1 = 0, micro_f1 = 0;  // single-label tasks
  double micro_auc = 0;               // multi-label tasks
  int64_t best_step = 0;              // of Adam; iterations of the chosen fit of L-BFGS
};

// What the labelled test nodes of a split are taken for.
struct Predictions {
  std::vector<int32_t> nodes;
  std::vector<int32_t> single;  // a class a node
  std::vector<uint8_t> multi;   // multi-label tasks: a row of zeros and ones a node
};

struct Score {
  std::string metric;  // "accuracy" or "roc_auc"
  std::vector<ProbeRun> runs;
  double mean() const;       // of the test scores
  double deviation() const;  // population, as numpy's std
};

// `x`: N rows, dense or sparse (bag-of-words features stay sparse). Data Error when a set of a
// split has no labelled node, when x has not a row a label, or when it holds NaN. `first`: what the
// first split's probe makes of its test nodes.
Score linear_probe(const Input& x, const Labels& labels, const std::vector<Split>& splits,
                   const ProbeOptions& options, uint64_t seed, Predictions* first = nullptr);

// Only the validation part of linear_probe, for --select val: best validation score of each split.
// Never reads a test node.
std::vector<double> validation_scores(const at::Tensor& z, const Labels& labels,
                                      const std::vector<Split>& splits, const ProbeOptions& options,
                                      uint64_t seed);

}  // namespace gs
