// Graph attention (Velickovic et al. 2018), as SparseOperator::attend() computes it. A head weighs
// the sources j of a target i, and i itself, by the softmax of leaky(target_i + source_j), where a
// score is the inner product of a message with one of two learned vectors. Our kernel
// (kernels/attention.h) and plain libtorch are each other's twins. Heads stand side by side in the
// columns of messages and scores; two views side by side are twice the heads.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "kernels/dropout.h"

namespace gs {

struct AttentionOptions {
  int64_t heads = 1;   // of all views together
  double slope = 0.2;  // of leaky() below zero; in [0, 1]
  // Of the weights, one rule a view. A mask is a function of (key, target, source, head of the
  // view).
  std::vector<DropoutRule> dropout;
};

// One a message and head.
struct Scores {
  at::Tensor source, target;  // [sources, heads], [targets, heads]
};

// Learned, one number a column of the messages; or a column of one view, and all views share them.
struct ScoreVectors {
  at::Tensor source, target;

  ScoreVectors repeated(int64_t columns) const;
};

}  // namespace gs
