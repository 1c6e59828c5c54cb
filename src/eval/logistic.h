// Several logistic regressions of one shape as one batch: R problems, each on its own rows of the
// same N x F input, with C outputs. Rows are gathered once; problems with fewer rows than the
// longest are padded with rows of weight 0. Single-label: mean cross-entropy over rows;
// multi-label: mean binary cross-entropy over rows and classes. Gradients are written out by hand,
// so nothing is recorded and buffers are reused from step to step.
#pragma once

#include <ATen/ATen.h>

#include <span>
#include <vector>

#include "dataset/dataset.h"
#include "nn/features.h"

namespace gs {

// Contiguous. F and C lie in `w` in the order in which its input multiplies fastest: C x F for
// dense inputs, F x C for sparse ones. matrices() hides that.
struct LinearWeights {
  at::Tensor w, b;  // [R, F * C], [R, C]

  static LinearWeights zeros(const Input& x, int64_t problems, int64_t classes,
                             at::ScalarType type);
  // One problem's; shares storage.
  LinearWeights problem(int64_t r) const { return {w.slice(0, r, r + 1), b.slice(0, r, r + 1)}; }
  at::Tensor matrices(const Input& x) const;  // [R, F, C], shares storage
};

using NodeLists = std::vector<std::span<const int32_t>>;  // one per problem

// The rows of x of these nodes: n x F, or a sparse matrix in compressed rows. `unit`: scaled to
// length 1, zero rows staying zero.
at::Tensor rows_of(const Input& x, std::span<const int32_t> nodes, at::ScalarType type, bool unit);

// Each problem's rows of the input: [R, n, F] with zero rows after the shorter ones, or R sparse
// matrices.
class RowBatch {
 public:
  // Which copies pay: both orders, the order for scores, none.
  enum class Use { training, scores, once };
  RowBatch(const Input& x, const NodeLists& nodes, at::ScalarType type, Use use, bool unit = false);

  int64_t longest() const { return longest_; }
  int64_t count(int64_t r) const { return counts_[static_cast<size_t>(r)]; }
  void scores(const LinearWeights& weights, at::Tensor& out) const;  // W' X' + b: [R, C, n]
  // Back to the weights; Use::training only.
  void project(const at::Tensor& score_gradient, LinearWeights& out) const;

 private:
  at::Tensor rows_, columns_;  // dense: [R, n, F] and [R, F, n], which may be a view of the first
  std::vector<at::Tensor> matrices_, transposes_;  // sparse: n x F and F x n, one per problem
  std::vector<int64_t> counts_;
  int64_t longest_ = 0, width_ = 0;
};

class LogisticBatch {
 public:
  LogisticBatch(const Input& x, const Labels& labels, const NodeLists& nodes,
                at::ScalarType type = at::kFloat);

  // The gradients of the losses. Returns the losses, [R], when asked for, else an undefined
  // tensor.
  at::Tensor gradient(const LinearWeights& weights, LinearWeights& out, bool with_losses = false);
  const RowBatch& rows() const { return rows_; }

 private:
  RowBatch rows_;
  bool multi_;
  at::Tensor row_weight_;  // [R, 1, n]: one over the problem's rows (and classes), 0 in padding
  at::Tensor target_;      // [R, C, n]: 1 where the row has the class, times the row's weight
  at::Tensor scores_, score_gradient_;
};

}  // namespace gs
