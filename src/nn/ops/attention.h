// Graph attention (Velickovic et al. 2018) over the entries of a sparse matrix. A head weighs the
// sources j of a target i, and i itself, by the softmax of leaky(target_i + source_j), where a
// score is the inner product of a message with one of two learned vectors. The matrix's values do
// not count. Our kernel (kernels/attention.h) and plain libtorch are each other's twins: a
// NativeSparse takes the one, a TorchSparse the other. Heads stand side by side in the columns of
// messages and scores; two views side by side are twice the heads.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "nn/ops/sparse_operator.h"

namespace gs {

struct AttentionOptions {
  int64_t heads = 1;   // of all views together
  double slope = 0.2;  // of leaky() below zero; in [0, 1]
  // Dropout of the weights, one rule per view. A mask is a function of (key, target, source, head
  // of the view).
  std::vector<DropoutRule> dropout;
};

// One per message and head.
struct Scores {
  at::Tensor source, target;  // [sources, heads], [targets, heads]
};

// Learned, one number per column of the messages; or per column of one view, shared by all views.
struct ScoreVectors {
  at::Tensor source, target;

  ScoreVectors repeated(int64_t columns) const;
};

// [columns, heads * d] -> [rows, heads * d]. Targets are the first sources. With scores that are
// known already, or with those that the vectors give. A slice takes the target scores of its own
// rows, and has no backward.
at::Tensor attend(const SparseOperator& structure, const at::Tensor& messages, const Scores& scores,
                  const AttentionOptions& options);
at::Tensor attend(const SparseOperator& structure, const at::Tensor& messages,
                  const ScoreVectors& vectors, const AttentionOptions& options);

// Both scores of all rows of `messages`, which may be some of the sources.
Scores scores_of(const SparseOperator& structure, const at::Tensor& messages,
                 const ScoreVectors& vectors, int64_t heads);

}  // namespace gs
