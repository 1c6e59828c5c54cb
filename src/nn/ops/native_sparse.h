// A sparse matrix over our own kernels (kernels/spmm.h): float on the CPU, no values stored for an
// unweighted adjacency, the epilogue fused after each product and before its backward.
//
// Thread safety: as SparseOperator; the transpose, made when a backward pass first asks for it, is
// made once.
#pragma once

#include <mutex>

#include "dataset/dataset.h"
#include "graph/normalize.h"
#include "kernels/scatter.h"
#include "kernels/spmm.h"
#include "loader/sample.h"
#include "nn/ops/sparse_operator.h"

namespace gs {

class NativeSparse : public SparseOperator {
 public:
  NativeSparse(const Csr& graph, Norm norm);          // a normalized adjacency
  explicit NativeSparse(const SparseMatrix& matrix);  // features
  explicit NativeSparse(const LayerGraph& layer);     // a batch's, normalized already

  at::Tensor apply(const at::Tensor& x, const Epilogue& epilogue = {}) const override;
  at::Tensor apply_transposed(const at::Tensor& x) const override;
  at::Tensor times(std::span<const at::Tensor> weights,
                   const Epilogue& epilogue = {}) const override;
  int64_t nonzeros() const override { return matrix_.offsets[matrix_.rows] - matrix_.offsets[0]; }
  std::shared_ptr<const SparseOperator> dropped(const DropoutRule& rule) const override;
  std::shared_ptr<const SparseOperator> slice(int64_t begin, int64_t end) const override;
  at::Device device() const override { return at::kCPU; }

  const SparseMatrix& matrix() const { return matrix_; }  // without its scalings
  // The kernel's description of M, and of M' for backward.
  Spmm forward_call() const { return call(matrix_, scales_, first_row_); }
  Spmm backward_call() const;
  // Whether M' G is made by scattering rows of G instead.
  bool scatters() const;
  bool is_slice() const { return is_slice_; }

 private:
  NativeSparse(SparseMatrix matrix, Normalization scales, int64_t first_row);
  static Spmm call(const SparseMatrix& matrix, const Normalization& scales, int64_t first_row);

  SparseMatrix matrix_;
  Normalization scales_;
  int64_t first_row_ = 0;  // of a slice
  bool is_slice_ = false;
  bool symmetric_ = false;
  // M', empty until needed and when symmetric.
  mutable std::once_flag transposed_;
  mutable SparseMatrix transpose_;
  mutable Normalization transpose_scales_;
};

}  // namespace gs
