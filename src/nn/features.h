// What a layer reads: a dense tensor, or the dataset's sparse features, which stay sparse through
// the first linear map. An augmented view of either costs next to nothing: masked columns become
// zeros of the weight that reads them, and rows in another order are taken from its product.
#pragma once

#include <memory>
#include <optional>

#include "dataset/dataset.h"
#include "nn/device.h"
#include "nn/ops/sparse_operator.h"

namespace gs {

class Input {
 public:
  Input(at::Tensor dense)
      : dense_(std::move(dense)) {}  // NOLINT(google-explicit-constructor): a tensor is an input
  explicit Input(std::shared_ptr<const SparseOperator> sparse) : sparse_(std::move(sparse)) {}

  bool sparse() const { return sparse_ != nullptr; }
  int64_t rows() const {
    return order_.defined() ? order_.size(0) : sparse_ ? sparse_->rows() : dense_.size(0);
  }
  int64_t width() const { return sparse_ ? sparse_->columns() : dense_.size(1); }
  at::Tensor dense() const;  // of a view: a copy
  const SparseOperator& sparse_operator() const { return *sparse_; }
  at::Device device() const { return sparse_ ? sparse_->device() : dense_.device(); }
  at::Tensor times(const at::Tensor& weight) const;  // X W', W being [outputs, inputs]
  // With some elements dropped, of sparse features some stored ones; itself without a rule.
  Input dropped(const std::vector<DropoutRule>& rule, bool native) const;
  Input slice(int64_t begin, int64_t end) const;  // rows [begin, end), sharing storage

  // Views, sharing storage: column c times columns[c]; row i being row rows[i].
  Input masked(const at::Tensor& columns) const;
  Input ordered(const at::Tensor& rows) const;
  bool is_view() const { return mask_.defined() || order_.defined(); }
  const at::Tensor& mask() const { return mask_; }    // or undefined
  const at::Tensor& order() const { return order_; }  // or undefined
  Input base() const;                                 // what it is a view of

 private:
  at::Tensor dense_;
  std::shared_ptr<const SparseOperator> sparse_;
  at::Tensor mask_, order_;
};

// The dataset's features on `device`; dense float32 ones on the CPU are used where they lie. Sparse
// ones become dense where nn/cost.h says that a dense product is cheaper; `dense` says so instead,
// if given.
Input make_input(const Features& features, const Device& device,
                 std::optional<bool> dense = std::nullopt);

}  // namespace gs
