// A constant sparse matrix M as a differentiable map: the normalised adjacency, or the feature
// matrix of bag-of-words data. Two kinds behind one interface: our kernels (nn/native_sparse.h) and
// plain libtorch (nn/torch_sparse.h), each the other's twin in tests. Always held by a shared_ptr:
// a backward pass keeps its operator alive.
#pragma once

#include <memory>
#include <span>

#include "graph/csr.h"
#include "nn/attention.h"
#include "nn/finishing.h"
#include "nn/tensor.h"

namespace gs {

constexpr int64_t kMaskColumns = 128;  // of the mask that drops stored entries

class SparseOperator : public std::enable_shared_from_this<SparseOperator> {
 public:
  virtual ~SparseOperator() = default;

  // finish(M x): [columns, K] -> [rows, K].
  virtual at::Tensor apply(const at::Tensor& x, const Finishing& finishing = {}) const = 0;
  // finish(M [W1' W2' ...]), each W being [outputs, columns]: a linear map of the rows of M.
  virtual at::Tensor times(std::span<const at::Tensor> weights,
                           const Finishing& finishing = {}) const = 0;
  // Graph attention over the entries of M, whose values do not count, and each target itself
  // (nn/attention.h): [columns, heads * d] -> [rows, heads * d]. Targets are the first sources.
  // With scores that are known already, or with those that the vectors give. A slice takes the
  // target scores of its own rows, and has no backward.
  virtual at::Tensor attend(const at::Tensor& messages, const Scores& scores,
                            const AttentionOptions& options) const = 0;
  virtual at::Tensor attend(const at::Tensor& messages, const ScoreVectors& vectors,
                            const AttentionOptions& options) const = 0;
  // Both scores of all rows of `messages`, which may be some of the sources.
  virtual Scores scores(const at::Tensor& messages, const ScoreVectors& vectors,
                        int64_t heads) const = 0;
  // M with some of its stored entries dropped, for one step: entry e, in the order of rows, is
  // element (e / 128, e mod 128) of the rule's mask. Not of a slice.
  virtual std::shared_ptr<const SparseOperator> dropped(const DropoutRule& rule) const = 0;
  // Rows [begin, end), sharing storage.
  virtual std::shared_ptr<const SparseOperator> slice(int64_t begin, int64_t end) const = 0;
  virtual at::Device device() const = 0;
  virtual int64_t nonzeros() const = 0;  // stored entries

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

 protected:
  SparseOperator(int64_t rows, int64_t columns) : rows_(rows), columns_(columns) {}

 private:
  int64_t rows_, columns_;
};

}  // namespace gs
