#include "nn/features.h"

namespace gs {

at::Tensor Input::times(const at::Tensor& weight) const {
  return sparse_ ? sparse_->apply(weight.t().contiguous()) : at::mm(dense_, weight.t());
}

Input Input::slice(int64_t begin, int64_t end) const {
  return sparse_ ? Input(sparse_->slice(begin, end)) : Input(dense_.slice(0, begin, end));
}

namespace {

// Above this density a dense product is faster than a sparse one; and it must fit.
constexpr double kDenseFrom = 0.1;
constexpr int64_t kDenseLimit = int64_t{1} << 29;

at::Tensor to_dense(const SparseMatrix& m, const Place& place) {
  at::Tensor dense = at::zeros({m.rows, m.columns});
  float* out = dense.data_ptr<float>();
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t k = m.offsets[r]; k < m.offsets[r + 1]; ++k)
      out[r * m.columns + m.indices[k]] = m.values.empty() ? 1.0f : m.values[k];
  return dense.to(place.options());
}

}  // namespace

Input make_input(const Features& features, const Place& place) {
  if (features.sparse()) {
    const SparseMatrix& m = features.sparse_matrix();
    const int64_t elements = m.rows * m.columns;
    if (elements <= kDenseLimit &&
        static_cast<double>(m.nonzeros()) > kDenseFrom * static_cast<double>(elements))
      return Input(to_dense(m, place));
    return Input(std::make_shared<SparseOperator>(
        m.rows, m.columns, m.offsets.span(), m.indices.span(),
        std::vector<double>(m.values.begin(), m.values.end()), place));
  }
  const DenseMatrix& m = features.dense_matrix();
  return Input(view_of(m.values, {m.rows, m.columns}).to(place.options()));
}

}  // namespace gs
