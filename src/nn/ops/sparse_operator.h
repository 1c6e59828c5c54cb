// A constant sparse matrix M that takes part in differentiable products: a normalized adjacency, or
// the dataset's features. Two implementations, chosen when it is made: our own kernels
// (nn/ops/native_sparse.h) and plain libtorch operations (nn/ops/torch_sparse.h), each the other's
// twin in tests. Always held by a shared_ptr: a backward pass keeps its operator alive.
//
// Thread safety: all calls are const and may run at once.
#pragma once

#include <memory>
#include <span>

#include "graph/csr.h"
#include "nn/ops/epilogue.h"
#include "nn/tensor.h"

namespace gs {

// Columns of the mask that drops stored entries.
constexpr int64_t kMaskColumns = 128;

class SparseOperator : public std::enable_shared_from_this<SparseOperator> {
 public:
  virtual ~SparseOperator() = default;

  // epilogue(M x): [columns, K] -> [rows, K].
  virtual at::Tensor apply(const at::Tensor& x, const Epilogue& epilogue = {}) const = 0;
  // M' x: [rows, K] -> [columns, K]. Not differentiable, and not for a slice.
  virtual at::Tensor apply_transposed(const at::Tensor& x) const = 0;
  // epilogue(M [W1' W2' ...]), each W being [outputs, columns]: a linear map of the rows of M.
  virtual at::Tensor times(std::span<const at::Tensor> weights,
                           const Epilogue& epilogue = {}) const = 0;
  // M with some of its stored entries dropped, for one step: entry e, in the order of rows, is
  // element (e / 128, e mod 128) of the rule's mask. Not for a slice.
  virtual std::shared_ptr<const SparseOperator> dropped(const DropoutRule& rule) const = 0;
  // Rows [begin, end), sharing storage.
  virtual std::shared_ptr<const SparseOperator> slice(int64_t begin, int64_t end) const = 0;
  // The rows that slices multiply, given x of apply(): x itself, or x and rows of other ranks.
  virtual at::Tensor sources(const at::Tensor& x) const { return x; }
  virtual at::Device device() const = 0;
  virtual int64_t nonzeros() const = 0;  // stored entries

  // What choices between equal sums go by. Of a matrix that is spread over several ranks, the size
  // of all of it, so that every rank chooses alike.
  struct Size {
    int64_t rows = 0, columns = 0, nonzeros = 0;
  };
  virtual Size whole() const { return {rows(), columns(), nonzeros()}; }

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

 protected:
  SparseOperator(int64_t rows, int64_t columns) : rows_(rows), columns_(columns) {}

 private:
  int64_t rows_, columns_;
};

}  // namespace gs
