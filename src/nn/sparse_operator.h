// A constant sparse matrix M as a differentiable map: the normalised adjacency, or the feature
// matrix of bag-of-words data. Two kinds behind one interface: our kernels (nn/native_sparse.h) and
// plain libtorch (nn/torch_sparse.h), each the other's twin in tests. Always held by a shared_ptr:
// a backward pass keeps its operator alive.
#pragma once

#include <memory>
#include <span>

#include "graph/csr.h"
#include "nn/finishing.h"
#include "nn/tensor.h"

namespace gs {

class SparseOperator : public std::enable_shared_from_this<SparseOperator> {
 public:
  virtual ~SparseOperator() = default;

  // finish(M x): [columns, K] -> [rows, K].
  virtual at::Tensor apply(const at::Tensor& x, const Finishing& finishing = {}) const = 0;
  // finish(M [W1' W2' ...]), each W being [outputs, columns]: a linear map of the rows of M.
  virtual at::Tensor times(std::span<const at::Tensor> weights,
                           const Finishing& finishing = {}) const = 0;
  // Rows [begin, end), sharing storage.
  virtual std::shared_ptr<const SparseOperator> slice(int64_t begin, int64_t end) const = 0;
  virtual at::Device device() const = 0;

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

 protected:
  SparseOperator(int64_t rows, int64_t columns) : rows_(rows), columns_(columns) {}

 private:
  int64_t rows_, columns_;
};

}  // namespace gs
