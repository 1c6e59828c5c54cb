#include "nn/ops/linear.h"

#include <torch/csrc/autograd/custom_function.h>

#include "base/error.h"
#include "nn/ops/native_epilogue.h"

namespace gs {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// Two weights as one, [outputs of both, inputs]: one product is faster than two narrow ones.
at::Tensor stacked(const at::Tensor& w1, const at::Tensor& w2) {
  return w2.defined() ? at::cat({w1, w2}) : w1;
}

// BLAS for the product; bias, ReLU and dropout in one pass over its result, in place.
struct DenseMap : torch::autograd::Function<DenseMap> {
  static Variable forward(AutogradContext* context, const Variable& input, const Variable& w1,
                          const Maybe& second, const Maybe& bias, const Maybe& skip,
                          const EpilogueSpec& spec, int64_t views) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const int64_t rows = input.size(0);
    const at::Tensor w2 = known(second);
    const at::Tensor x = input.contiguous().view({rows * views, -1});
    const at::Tensor weight = stacked(w1, w2);
    Variable y = at::mm(x, weight.t()).view({rows, views * weight.size(0)});
    const NativeEpilogue native(spec, known(bias), known(skip), y.size(0), y.size(1));
    if (bias || skip || spec.relu || !spec.dropout.empty())
      epilogue_forward(native.kernel(), y.size(0), y.size(1), y.data_ptr<float>());
    native.save(context, {input, w1, w2}, y);
    context->saved_data["views"] = views;
    return y;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor dy = gradients[0].contiguous();
    const SavedEpilogue saved(context, dy);
    const at::Tensor &input = saved.inputs()[0], &w1 = saved.inputs()[1], &w2 = saved.inputs()[2];
    const int64_t folded = dy.size(0) * context->saved_data["views"].toInt();
    const at::Tensor g = saved.through(dy).view({folded, -1});
    const at::Tensor x = input.contiguous().view({folded, -1});
    at::Tensor dx, d1 = at::mm(g.t(), x), d2;
    if (context->needs_input_grad(0)) dx = at::mm(g, stacked(w1, w2)).view(input.sizes());
    if (w2.defined()) d2 = d1.slice(0, w1.size(0)), d1 = d1.slice(0, 0, w1.size(0));
    return {dx, d1, d2, saved.bias_gradient(), saved.skip_gradient(dy), Variable(), Variable()};
  }
};

at::Tensor plain_linear(const at::Tensor& x, std::span<const at::Tensor> weights, int64_t views) {
  const at::Tensor folded = views == 1 ? x : x.reshape({x.size(0) * views, -1});
  std::vector<at::Tensor> parts;
  for (const at::Tensor& weight : weights) parts.push_back(at::mm(folded, weight.t()));
  const at::Tensor y = parts.size() == 1 ? parts[0] : at::cat(parts, 1);
  return views == 1 ? y : y.view({x.size(0), -1});
}

at::Tensor linear_of_view(const Input& x, std::span<const at::Tensor> weights, const Epilogue& f) {
  std::vector<at::Tensor> masked(weights.begin(), weights.end());
  if (x.mask().defined())
    for (at::Tensor& weight : masked) weight = weight * x.mask();
  if (!x.order().defined()) return linear(x.base(), masked, f);
  const at::Tensor y = linear(x.base(), masked, Epilogue::none(f.native));
  return apply_epilogue(y.index_select(0, x.order()), f);
}

}  // namespace

at::Tensor linear(const Input& x, std::span<const at::Tensor> weights, const Epilogue& f,
                  int64_t views) {
  GS_ASSERT(views == 1 || weights.size() == 1);
  if (x.is_view()) {
    GS_ASSERT(views == 1);
    return linear_of_view(x, weights, f);
  }
  if (x.sparse()) {
    GS_ASSERT(views == 1);
    return x.sparse_operator().times(weights, f);
  }
  if (!f.native || !serves_natively(x.dense()) || weights.size() > 2)
    return apply_epilogue(plain_linear(x.dense(), weights, views), f);
  if (f.relu && f.skip.defined()) return linear(x, weights, without_skip(f), views) + f.skip;
  return DenseMap::apply(x.dense(), weights[0],
                         weights.size() == 2 ? Maybe(weights[1]) : std::nullopt, maybe(f.bias),
                         maybe(f.skip), EpilogueSpec{f.relu, f.dropout}, views);
}

}  // namespace gs
