#include "nn/ops/native_sparse.h"

#include <torch/csrc/autograd/custom_function.h>

#include "base/error.h"
#include "base/parallel.h"
#include "nn/ops/kept.h"
#include "nn/ops/native_epilogue.h"

namespace gs {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct Product : torch::autograd::Function<Product> {
  static Variable forward(AutogradContext* context, const Variable& input, const Maybe& bias,
                          const Maybe& skip, std::shared_ptr<const NativeSparse> self,
                          const EpilogueSpec& spec) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const at::Tensor x = input.contiguous();
    GS_ASSERT(x.size(0) == self->columns());
    Variable y = at::empty({self->rows(), x.size(1)}, x.options());
    const NativeEpilogue native(spec, known(bias), known(skip), y.size(0), y.size(1));
    Spmm call = self->forward_call();
    call.x = x.const_data_ptr<float>();
    call.y = y.data_ptr<float>();
    call.x_stride = call.y_stride = call.width = x.size(1);
    call.after = native.kernel();
    spmm(call);
    native.save(context, {}, y);
    keep(context, std::move(self));
    return y;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor dy = gradients[0].contiguous();
    const SavedEpilogue saved(context, dy);
    const NativeSparse& self = kept<NativeSparse>(context);
    at::Tensor dx = at::empty({self.columns(), dy.size(1)}, dy.options());
    Spmm call = self.backward_call();
    call.x = dy.const_data_ptr<float>();
    call.y = dx.data_ptr<float>();
    call.x_stride = call.y_stride = call.width = dy.size(1);
    call.before = saved.kernel();
    spmm(call);
    return {dx, saved.bias_gradient(), saved.skip_gradient(dy), Variable(), Variable()};
  }
};

struct Map : torch::autograd::Function<Map> {
  static Variable forward(AutogradContext* context, const Variable& first, const Maybe& second,
                          const Maybe& bias, const Maybe& skip,
                          std::shared_ptr<const NativeSparse> self, const EpilogueSpec& spec) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const at::Tensor w1 = first.contiguous();
    const at::Tensor w2 = second ? second->contiguous() : at::Tensor();
    GS_ASSERT(w1.size(1) == self->columns());
    const int64_t width = w1.size(0) + (w2.defined() ? w2.size(0) : 0);
    Variable y = at::empty({self->rows(), width}, w1.options());
    const NativeEpilogue native(spec, known(bias), known(skip), y.size(0), width);
    Spmm call = self->forward_call();
    call.x_transposed = true;
    call.x = w1.const_data_ptr<float>();
    call.x_next = w2.defined() ? w2.const_data_ptr<float>() : nullptr;
    call.x_stride = self->columns();
    call.split = w1.size(0);
    call.y = y.data_ptr<float>();
    call.y_stride = call.width = width;
    call.after = native.kernel();
    spmm(call);
    native.save(context, {}, y);
    context->saved_data["split"] = w1.size(0);
    context->saved_data["two"] = w2.defined();
    keep(context, std::move(self));
    return y;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor dy = gradients[0].contiguous();
    const SavedEpilogue saved(context, dy);
    const NativeSparse& self = kept<NativeSparse>(context);
    const int64_t split = context->saved_data["split"].toInt();
    at::Tensor d1 = at::empty({split, self.columns()}, dy.options()), d2;
    if (context->saved_data["two"].toBool())
      d2 = at::empty({dy.size(1) - split, self.columns()}, dy.options());
    const auto run = [&](auto call, const auto& kernel) {
      call.x = dy.const_data_ptr<float>();
      call.x_stride = call.width = dy.size(1);
      call.before = saved.kernel();
      call.y = d1.data_ptr<float>();
      call.y_next = d2.defined() ? d2.data_ptr<float>() : nullptr;
      call.y_stride = self.columns();
      call.split = split;
      kernel(call);
    };
    if (self.scatters()) {
      Scatter call;
      call.matrix = self.forward_call().matrix;
      run(call, scatter);
    } else {
      Spmm call = self.backward_call();
      call.y_transposed = true;
      run(call, spmm);
    }
    return {d1, d2, saved.bias_gradient(), saved.skip_gradient(dy), Variable(), Variable()};
  }
};

SparseMatrix rows_of(const Csr& graph) {
  return {graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights};
}

// By counting: entries of a column come in the order of their rows.
SparseMatrix transposed(const SparseMatrix& m) {
  std::vector<int64_t> offsets(static_cast<size_t>(m.columns) + 1);
  const int64_t first = m.offsets[0], last = m.offsets[m.rows];  // a slice has more beside it
  for (const int32_t c : m.indices.slice(first, last)) ++offsets[static_cast<size_t>(c) + 1];
  for (size_t c = 0; c + 1 < offsets.size(); ++c) offsets[c + 1] += offsets[c];
  std::vector<int64_t> at(offsets.begin(), offsets.end() - 1);
  std::vector<int32_t> indices(static_cast<size_t>(last - first));
  std::vector<float> values(m.values.empty() ? 0 : indices.size());
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t e = m.offsets[r]; e < m.offsets[r + 1]; ++e) {
      const auto to = static_cast<size_t>(at[static_cast<size_t>(m.indices[e])]++);
      indices[to] = static_cast<int32_t>(r);
      if (!values.empty()) values[to] = m.values[e];
    }
  return {m.columns, m.rows, std::move(offsets), std::move(indices), std::move(values)};
}

}  // namespace

NativeSparse::NativeSparse(const Csr& graph, Norm norm)
    : SparseOperator(graph.nodes(), graph.nodes()),
      matrix_(rows_of(graph)),
      scales_(normalization(graph, norm)),
      symmetric_(graph.symmetric) {}

NativeSparse::NativeSparse(const SparseMatrix& matrix)
    : SparseOperator(matrix.rows, matrix.columns), matrix_(matrix) {}

NativeSparse::NativeSparse(const LayerGraph& layer)
    : SparseOperator(layer.matrix.rows, layer.matrix.columns),
      matrix_(layer.matrix),
      scales_(layer.scales),
      symmetric_(layer.symmetric) {}

NativeSparse::NativeSparse(SparseMatrix matrix, Normalization scales, int64_t first_row)
    : SparseOperator(matrix.rows, matrix.columns),
      matrix_(std::move(matrix)),
      scales_(std::move(scales)),
      first_row_(first_row),
      is_slice_(true) {}

Spmm NativeSparse::call(const SparseMatrix& m, const Normalization& scales, int64_t first_row) {
  const auto part = [](const Array<float>& a, int64_t from) {
    return a.empty() ? nullptr : a.data() + from;
  };
  Spmm out;
  out.matrix = {m.rows, m.columns, m.offsets.data(), m.indices.data(),
                m.values.empty() ? nullptr : m.values.data()};
  out.row_scale = part(scales.row_scale, first_row);
  out.column_scale = part(scales.col_scale, 0);
  out.self = part(scales.self_weight, first_row);
  out.first_row = first_row;
  return out;
}

bool NativeSparse::scatters() const {
  return scales_.row_scale.empty() && scales_.col_scale.empty() && scales_.self_weight.empty() &&
         scatter_pays(forward_call().matrix);
}

Spmm NativeSparse::backward_call() const {
  GS_ASSERT(!is_slice_ || scales_.row_scale.empty());  // slices of an adjacency are for inference
  if (symmetric_) return call(matrix_, scales_.transposed(), 0);
  std::call_once(transposed_, [&] {
    transpose_ = transposed(matrix_);
    transpose_scales_ = scales_.transposed();
    if (const Array<float>& self = scales_.self_weight; !self.empty() && columns() > rows()) {
      std::vector<float> padded(self.begin(), self.end());  // sources that are no targets have none
      padded.resize(static_cast<size_t>(columns()));
      transpose_scales_.self_weight = std::move(padded);
    }
  });
  return call(transpose_, transpose_scales_, 0);
}

at::Tensor NativeSparse::apply(const at::Tensor& x, const Epilogue& f) const {
  auto self = std::static_pointer_cast<const NativeSparse>(shared_from_this());
  if (f.relu && f.skip.defined()) return apply(x, without_skip(f)) + f.skip;
  return Product::apply(x, maybe(f.bias), maybe(f.skip), std::move(self),
                        EpilogueSpec{f.relu, f.dropout});
}

at::Tensor NativeSparse::apply_transposed(const at::Tensor& x) const {
  GS_ASSERT(!is_slice_ && x.size(0) == rows());
  const at::Tensor from = x.contiguous();
  at::Tensor y = at::empty({columns(), x.size(1)}, x.options());
  Spmm call = backward_call();
  call.x = from.const_data_ptr<float>();
  call.y = y.data_ptr<float>();
  call.x_stride = call.y_stride = call.width = x.size(1);
  spmm(call);
  return y;
}

at::Tensor NativeSparse::times(std::span<const at::Tensor> weights, const Epilogue& f) const {
  GS_ASSERT(weights.size() == 1 || weights.size() == 2);
  auto self = std::static_pointer_cast<const NativeSparse>(shared_from_this());
  if (f.relu && f.skip.defined()) return times(weights, without_skip(f)) + f.skip;
  return Map::apply(weights[0], weights.size() == 2 ? Maybe(weights[1]) : std::nullopt,
                    maybe(f.bias), maybe(f.skip), std::move(self), EpilogueSpec{f.relu, f.dropout});
}

std::shared_ptr<const SparseOperator> NativeSparse::dropped(const DropoutRule& rule) const {
  GS_ASSERT(!is_slice_ && scales_.row_scale.empty() && scales_.self_weight.empty());
  const int64_t count = matrix_.nonzeros();
  std::vector<float> values(static_cast<size_t>(count));
  parallel_for((count + kMaskColumns - 1) / kMaskColumns, 64, [&](int64_t begin, int64_t end) {
    uint32_t bits[bit_words(kMaskColumns)];
    const auto scale = static_cast<float>(rule.scale);
    for (int64_t line = begin; line < end; ++line) {
      kept_bits(std::span(&rule, 1), line, 1, kMaskColumns, bits);
      const int64_t first = line * kMaskColumns, last = std::min(count, first + kMaskColumns);
      for (int64_t e = first; e < last; ++e) {
        const bool kept = bits[(e - first) / 32] >> (e - first) % 32 & 1;
        values[e] = kept ? (matrix_.values.empty() ? scale : scale * matrix_.values[e]) : 0;
      }
    }
  });
  SparseMatrix rest = matrix_;
  rest.values = std::move(values);
  return std::make_shared<NativeSparse>(rest);
}

std::shared_ptr<const SparseOperator> NativeSparse::slice(int64_t begin, int64_t end) const {
  SparseMatrix part = matrix_;
  part.rows = end - begin;
  const auto owner = std::make_shared<SparseMatrix>(matrix_);
  part.offsets = Array<int64_t>(owner, matrix_.offsets.slice(begin, end + 1));
  return std::shared_ptr<const SparseOperator>(
      new NativeSparse(std::move(part), scales_, first_row_ + begin));
}

}  // namespace gs
