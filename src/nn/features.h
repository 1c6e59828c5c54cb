// What a layer reads: a dense tensor, or the dataset's sparse features, which stay sparse through
// the first linear map.
#pragma once

#include <memory>

#include "dataset/dataset.h"
#include "nn/sparse_operator.h"

namespace gs {

class Input {
 public:
  Input(at::Tensor dense)
      : dense_(std::move(dense)) {}  // NOLINT(google-explicit-constructor): a tensor is an input
  explicit Input(std::shared_ptr<const SparseOperator> sparse) : sparse_(std::move(sparse)) {}

  bool sparse() const { return sparse_ != nullptr; }
  int64_t rows() const { return sparse_ ? sparse_->rows() : dense_.size(0); }
  int64_t width() const { return sparse_ ? sparse_->columns() : dense_.size(1); }
  const at::Tensor& dense() const { return dense_; }
  const SparseOperator& sparse_operator() const { return *sparse_; }
  at::Device device() const { return sparse_ ? sparse_->device() : dense_.device(); }
  at::Tensor times(const at::Tensor& weight) const;  // X W', W being [outputs, inputs]
  // With some elements dropped, of sparse features some stored ones; itself without a rule.
  Input dropped(const std::vector<DropoutRule>& rule, bool native) const;
  Input slice(int64_t begin, int64_t end) const;  // rows [begin, end), sharing storage

 private:
  at::Tensor dense_;
  std::shared_ptr<const SparseOperator> sparse_;
};

// The dataset's features at `place`; dense float32 ones on the CPU are used where they lie. Sparse
// ones become dense where nn/cost.h says that a dense product is cheaper.
Input make_input(const Features& features, const Place& place);

}  // namespace gs
