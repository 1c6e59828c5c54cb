// A sparse matrix as plain libtorch operations: compressed-row tensors of M and, for backward, of
// M'. Any device and precision; the oracle of the native kernels.
#pragma once

#include "dataset/dataset.h"
#include "graph/normalize.h"
#include "nn/sparse_operator.h"

namespace gs {

class TorchSparse : public SparseOperator {
 public:
  // From compressed rows; `values` empty means all ones. The transpose is made when first asked for
  // by a backward pass.
  TorchSparse(int64_t rows, int64_t columns, std::span<const int64_t> offsets,
              std::span<const int32_t> indices, const std::vector<double>& values,
              const Place& place);

  at::Tensor apply(const at::Tensor& x, const Finishing& finishing = {}) const override;
  int64_t nonzeros() const override { return matrix_.values().numel(); }
  at::Tensor times(std::span<const at::Tensor> weights,
                   const Finishing& finishing = {}) const override;
  at::Tensor attend(const at::Tensor& messages, const Scores& scores,
                    const AttentionOptions& options) const override;
  at::Tensor attend(const at::Tensor& messages, const ScoreVectors& vectors,
                    const AttentionOptions& options) const override;
  Scores scores(const at::Tensor& messages, const ScoreVectors& vectors,
                int64_t heads) const override;
  std::shared_ptr<const SparseOperator> dropped(const DropoutRule& rule) const override;
  std::shared_ptr<const SparseOperator> slice(int64_t begin, int64_t end) const override;
  at::Device device() const override { return matrix_.device(); }
  const at::Tensor& matrix() const { return matrix_; }
  const at::Tensor& transpose() const;

 private:
  TorchSparse(int64_t rows, int64_t columns, at::Tensor matrix, int64_t first_row)
      : SparseOperator(rows, columns), matrix_(std::move(matrix)), first_row_(first_row) {}

  at::Tensor matrix_;             // CSR
  int64_t first_row_ = 0;         // of a slice
  mutable at::Tensor transpose_;  // CSR, or undefined until needed
};

// The matrix of sparse features that were made for a plain place.
inline const at::Tensor& matrix_of(const SparseOperator& plain) {
  return dynamic_cast<const TorchSparse&>(plain).matrix();
}

// Normalised adjacencies with explicit values (graph/normalize.h has the rules).
std::shared_ptr<const TorchSparse> gcn_operator(const Csr& graph, const Place& place);
std::shared_ptr<const TorchSparse> mean_operator(const Csr& graph, const Place& place);
// A matrix whose scales are known already; targets are the first sources.
std::shared_ptr<const TorchSparse> scaled_operator(const SparseMatrix& matrix,
                                                   const Normalization& scales, const Place& place);

}  // namespace gs
