// A constant sparse matrix M as a differentiable map: y = M x, with dx = M' dy. Serves as the
// normalised adjacency and as the feature matrix of bag-of-words data. Plain libtorch:
// compressed-row tensors of M and, for backward, of M'. Always held by a shared_ptr: a backward
// pass keeps its operator alive.
#pragma once

#include <ATen/ATen.h>

#include <memory>

#include "dataset/dataset.h"
#include "graph/csr.h"
#include "nn/tensor.h"

namespace gs {

class SparseOperator : public std::enable_shared_from_this<SparseOperator> {
 public:
  // From compressed rows; `values` empty means all ones. The transpose is made when first asked for
  // by a backward pass.
  SparseOperator(int64_t rows, int64_t columns, std::span<const int64_t> offsets,
                 std::span<const int32_t> indices, const std::vector<double>& values,
                 const Place& place);

  at::Tensor apply(const at::Tensor& x) const;  // [columns, K] -> [rows, K]
  std::shared_ptr<const SparseOperator> slice(
      int64_t begin, int64_t end) const;  // rows [begin, end), sharing storage
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  const at::Tensor& matrix() const { return matrix_; }
  const at::Tensor& transpose() const;

 private:
  SparseOperator(int64_t rows, int64_t columns, at::Tensor matrix)
      : rows_(rows), columns_(columns), matrix_(std::move(matrix)) {}

  int64_t rows_, columns_;
  at::Tensor matrix_;             // CSR
  mutable at::Tensor transpose_;  // CSR, or undefined until needed
};

// Normalised adjacencies as operators (graph/normalize.h has the rules).
std::shared_ptr<const SparseOperator> gcn_operator(const Csr& graph, const Place& place);
std::shared_ptr<const SparseOperator> mean_operator(const Csr& graph, const Place& place);

}  // namespace gs
