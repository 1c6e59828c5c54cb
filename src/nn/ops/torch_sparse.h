// A sparse matrix as plain libtorch operations: compressed-row tensors of M and, for backward, of
// M'. Any device and precision; the oracle of the native kernels.
//
// Thread safety: as SparseOperator; the transpose, made when a backward pass first asks for it, is
// made once.
#pragma once

#include <mutex>

#include "dataset/dataset.h"
#include "graph/normalize.h"
#include "nn/device.h"
#include "nn/ops/sparse_operator.h"

namespace gs {

class TorchSparse : public SparseOperator {
 public:
  // From compressed rows; `values` empty means all ones.
  TorchSparse(int64_t rows, int64_t columns, std::span<const int64_t> offsets,
              std::span<const int32_t> indices, const std::vector<double>& values,
              const Device& device);

  at::Tensor apply(const at::Tensor& x, const Epilogue& epilogue = {}) const override;
  at::Tensor apply_transposed(const at::Tensor& x) const override;
  int64_t nonzeros() const override { return matrix_.values().numel(); }
  at::Tensor times(std::span<const at::Tensor> weights,
                   const Epilogue& epilogue = {}) const override;
  std::shared_ptr<const SparseOperator> dropped(const DropoutRule& rule) const override;
  std::shared_ptr<const SparseOperator> slice(int64_t begin, int64_t end) const override;
  at::Device device() const override { return matrix_.device(); }
  const at::Tensor& matrix() const { return matrix_; }
  const at::Tensor& transpose() const;
  int64_t first_row() const { return first_row_; }  // of a slice, in the whole

 private:
  TorchSparse(int64_t rows, int64_t columns, at::Tensor matrix, int64_t first_row)
      : SparseOperator(rows, columns), matrix_(std::move(matrix)), first_row_(first_row) {}

  at::Tensor matrix_;  // CSR
  int64_t first_row_ = 0;
  mutable std::once_flag transposed_;
  mutable at::Tensor transpose_;  // CSR, or undefined until needed
};

// The matrix of sparse features that were made for a device with plain kernels.
inline const at::Tensor& matrix_of(const SparseOperator& plain) {
  return dynamic_cast<const TorchSparse&>(plain).matrix();
}

// Normalized adjacencies with explicit values (graph/normalize.h has the rules).
std::shared_ptr<const TorchSparse> gcn_operator(const Csr& graph, const Device& device);
std::shared_ptr<const TorchSparse> mean_operator(const Csr& graph, const Device& device);
// A matrix whose scales are known already; targets are the first sources.
std::shared_ptr<const TorchSparse> scaled_operator(const SparseMatrix& matrix,
                                                   const Normalization& scales,
                                                   const Device& device);

}  // namespace gs
