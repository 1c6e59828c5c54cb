#include "nn/features.h"

#include "base/error.h"
#include "nn/cost.h"
#include "nn/ops/native_sparse.h"
#include "nn/ops/torch_sparse.h"

namespace gs {

at::Tensor Input::dense() const {
  at::Tensor out = dense_;
  if (mask_.defined()) out = out * mask_;
  return order_.defined() ? out.index_select(0, order_) : out;
}

at::Tensor Input::times(const at::Tensor& weight) const {
  const at::Tensor w = mask_.defined() ? weight * mask_ : weight;
  const at::Tensor y = sparse_ ? sparse_->times(std::span(&w, 1)) : at::mm(dense_, w.t());
  return order_.defined() ? y.index_select(0, order_) : y;
}

Input Input::dropped(const std::vector<DropoutRule>& rule, bool native) const {
  if (rule.empty()) return *this;
  GS_ASSERT(rule.size() == 1);
  if (sparse_) return Input(sparse_->dropped(rule[0]));
  Epilogue epilogue = Epilogue::none(native);
  epilogue.dropout = rule;
  return apply_epilogue(dense_, epilogue);
}

Input Input::slice(int64_t begin, int64_t end) const {
  Input out = *this;
  if (order_.defined()) out.order_ = order_.slice(0, begin, end);
  else if (sparse_) out.sparse_ = sparse_->slice(begin, end);
  else out.dense_ = dense_.slice(0, begin, end);
  return out;
}

Input Input::masked(const at::Tensor& columns) const {
  Input out = *this;
  out.mask_ = mask_.defined() ? mask_ * columns : columns;
  return out;
}

Input Input::ordered(const at::Tensor& rows) const {
  Input out = *this;
  out.order_ = order_.defined() ? order_.index_select(0, rows) : rows;
  return out;
}

Input Input::base() const {
  Input out = *this;
  out.mask_.reset(), out.order_.reset();
  return out;
}

namespace {

at::Tensor to_dense(const SparseMatrix& m, const Device& device) {
  at::Tensor dense = at::zeros({m.rows, m.columns});
  float* out = dense.data_ptr<float>();
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t k = m.offsets[r]; k < m.offsets[r + 1]; ++k)
      out[r * m.columns + m.indices[k]] = m.values.empty() ? 1.0f : m.values[k];
  return dense.to(device.options());
}

}  // namespace

Input make_input(const Features& features, const Device& device, std::optional<bool> dense) {
  if (features.sparse()) {
    const SparseMatrix& m = features.sparse_matrix();
    if (dense.value_or(dense_is_cheaper(m.rows, m.columns, m.nonzeros())))
      return Input(to_dense(m, device));
    if (device.native) return Input(std::make_shared<NativeSparse>(m));
    return Input(std::make_shared<TorchSparse>(
        m.rows, m.columns, m.offsets.span(), m.indices.span(),
        std::vector<double>(m.values.begin(), m.values.end()), device));
  }
  const DenseMatrix& m = features.dense_matrix();
  return Input(view_of(m.values, {m.rows, m.columns}).to(device.options()));
}

}  // namespace gs
