#include "nn/ops/torch_sparse.h"

#include <torch/csrc/autograd/custom_function.h>

#include <limits>

#include "base/error.h"
#include "nn/ops/kept.h"

namespace gs {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct SparseProduct : torch::autograd::Function<SparseProduct> {
  static Variable forward(AutogradContext* context, const Variable& x,
                          std::shared_ptr<const TorchSparse> self) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    Variable y = at::mm(self->matrix(), x);
    keep(context, std::move(self));
    return y;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const TorchSparse& self = kept<TorchSparse>(context);
    return {at::mm(self.transpose(), gradients[0].contiguous()), Variable()};
  }
};

// 32-bit indices where they fit: libtorch's fast sparse product takes them without conversion.
at::Tensor index_tensor(std::span<const int64_t> values, bool narrow, const Device& device) {
  at::Tensor out = at::empty({static_cast<int64_t>(values.size())}, narrow ? at::kInt : at::kLong);
  if (narrow) std::copy(values.begin(), values.end(), out.data_ptr<int32_t>());
  else std::copy(values.begin(), values.end(), out.data_ptr<int64_t>());
  return out.to(device.torch);
}

at::Tensor column_tensor(std::span<const int32_t> values, bool narrow, const Device& device) {
  at::Tensor out = at::empty({static_cast<int64_t>(values.size())}, at::kInt);
  std::copy(values.begin(), values.end(), out.data_ptr<int32_t>());
  return out.to(device.torch, narrow ? at::kInt : at::kLong);
}

at::Tensor csr_tensor(const at::Tensor& offsets, const at::Tensor& indices,
                      const at::Tensor& values, int64_t rows, int64_t columns) {
  return at::_sparse_csr_tensor_unsafe(offsets, indices, values, {rows, columns},
                                       values.options().layout(at::kSparseCsr));
}

}  // namespace

TorchSparse::TorchSparse(int64_t rows, int64_t columns, std::span<const int64_t> offsets,
                         std::span<const int32_t> indices, const std::vector<double>& values,
                         const Device& device)
    : SparseOperator(rows, columns) {
  GS_ASSERT(static_cast<int64_t>(offsets.size()) == rows + 1);
  const bool narrow = static_cast<int64_t>(indices.size()) <= std::numeric_limits<int32_t>::max();
  at::Tensor numbers =
      values.empty() ? at::ones({static_cast<int64_t>(indices.size())}, device.options())
                     : at::tensor(at::ArrayRef<double>(values), at::kDouble).to(device.options());
  matrix_ = csr_tensor(index_tensor(offsets, narrow, device),
                       column_tensor(indices, narrow, device), numbers, rows, columns);
}

const at::Tensor& TorchSparse::transpose() const {
  std::call_once(transposed_, [&] {
    // Counting sort by column keeps rows ascending within each, which is the transposed matrix.
    const at::Tensor columns = matrix_.col_indices().to(at::kLong);
    const at::Tensor counts = at::bincount(columns, {}, this->columns());
    const at::Tensor offsets = at::cat({at::zeros({1}, counts.options()), counts.cumsum(0)});
    const at::Tensor order =
        std::get<1>(columns.sort(/*stable=*/true, /*dim=*/0, /*descending=*/false));
    const at::Tensor crow = matrix_.crow_indices().to(at::kLong);
    const at::Tensor row_of = at::repeat_interleave(crow.diff());
    const auto type = matrix_.col_indices().scalar_type();
    transpose_ = csr_tensor(offsets.to(type), row_of.index_select(0, order).to(type),
                            matrix_.values().index_select(0, order), this->columns(), rows());
  });
  return transpose_;
}

at::Tensor TorchSparse::apply(const at::Tensor& x, const Epilogue& epilogue) const {
  auto self = std::static_pointer_cast<const TorchSparse>(shared_from_this());
  return apply_epilogue(SparseProduct::apply(x, std::move(self)), epilogue);
}

at::Tensor TorchSparse::apply_transposed(const at::Tensor& x) const {
  return at::mm(transpose(), x.contiguous());
}

at::Tensor TorchSparse::times(std::span<const at::Tensor> weights, const Epilogue& epilogue) const {
  std::vector<at::Tensor> parts;
  for (const at::Tensor& weight : weights) parts.push_back(apply(weight.t().contiguous()));
  return apply_epilogue(parts.size() == 1 ? parts[0] : at::cat(parts, 1), epilogue);
}

std::shared_ptr<const SparseOperator> TorchSparse::dropped(const DropoutRule& rule) const {
  const at::Tensor values = matrix_.values();
  const int64_t lines = (values.numel() + kMaskColumns - 1) / kMaskColumns;
  at::Tensor mask = at::empty({lines, kMaskColumns}, at::kDouble);
  dropout_mask(rule, 0, lines, kMaskColumns, mask.data_ptr<double>());
  mask = mask.view({-1}).slice(0, 0, values.numel()).to(values.options());
  return std::shared_ptr<const SparseOperator>(new TorchSparse(
      rows(), columns(),
      csr_tensor(matrix_.crow_indices(), matrix_.col_indices(), values * mask, rows(), columns()),
      first_row_));
}

std::shared_ptr<const SparseOperator> TorchSparse::slice(int64_t begin, int64_t end) const {
  const at::Tensor crow = matrix_.crow_indices();
  const int64_t first = crow[begin].item<int64_t>(), last = crow[end].item<int64_t>();
  at::Tensor part = csr_tensor((crow.slice(0, begin, end + 1) - first).contiguous(),
                               matrix_.col_indices().slice(0, first, last),
                               matrix_.values().slice(0, first, last), end - begin, columns());
  return std::shared_ptr<const SparseOperator>(
      new TorchSparse(end - begin, columns(), std::move(part), first_row_ + begin));
}

}  // namespace gs
