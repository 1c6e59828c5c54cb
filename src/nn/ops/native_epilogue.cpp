#include "nn/ops/native_epilogue.h"

#include "base/error.h"

namespace gs {

NativeEpilogue::NativeEpilogue(const EpilogueSpec& spec, const at::Tensor& bias,
                               const at::Tensor& skip, int64_t rows, int64_t columns)
    : has_bias_(bias.defined()) {
  GS_ASSERT(!(spec.relu && skip.defined()));
  if (bias.defined()) {
    bias_ = bias.contiguous();
    GS_ASSERT(bias_.numel() == columns);
    kernel_.bias = bias_.const_data_ptr<float>();
  }
  if (skip.defined()) {
    skip_ = skip.contiguous();
    kernel_.skip = skip_.const_data_ptr<float>();
  }
  kernel_.relu = spec.relu;
  if (!spec.dropout.empty()) {
    const auto views = static_cast<int64_t>(spec.dropout.size());
    bits_ = at::empty({rows, bit_words(columns)}, at::kInt);
    auto* bits = reinterpret_cast<uint32_t*>(bits_.data_ptr<int32_t>());
    kept_bits(spec.dropout, 0, rows, columns / views, bits);
    kernel_.kept = bits;
    kernel_.scale = spec.scale();
  }
}

void NativeEpilogue::save(torch::autograd::AutogradContext* context,
                          torch::autograd::variable_list inputs, const at::Tensor& y) const {
  context->saved_data["relu"] = kernel_.relu;
  context->saved_data["scale"] = static_cast<double>(kernel_.scale);
  context->saved_data["bias"] = has_bias_;
  context->saved_data["skip"] = kernel_.skip != nullptr;
  if (kernel_.relu) inputs.push_back(y);
  else inputs.push_back(bits_);
  context->save_for_backward(std::move(inputs));
}

SavedEpilogue::SavedEpilogue(torch::autograd::AutogradContext* context, const at::Tensor& dy)
    : inputs_(context->get_saved_variables()), has_skip_(context->saved_data["skip"].toBool()) {
  known_ = inputs_.back();
  inputs_.pop_back();
  kernel_.scale = static_cast<float>(context->saved_data["scale"].toDouble());
  if (context->saved_data["relu"].toBool()) kernel_.output = known_.const_data_ptr<float>();
  else if (known_.defined())
    kernel_.kept = reinterpret_cast<const uint32_t*>(known_.const_data_ptr<int32_t>());
  if (context->saved_data["bias"].toBool()) {
    bias_.resize(static_cast<size_t>(dy.size(1)));
    kernel_.bias = bias_.data();
  }
}

bool SavedEpilogue::nothing() const { return !kernel_.output && !kernel_.kept && !kernel_.bias; }

at::Tensor SavedEpilogue::through(const at::Tensor& dy) const {
  if (nothing()) return dy;
  at::Tensor dx = at::empty_like(dy);
  epilogue_backward(kernel_, dy.const_data_ptr<float>(), dy.size(0), dy.size(1),
                    dx.data_ptr<float>());
  return dx;
}

at::Tensor SavedEpilogue::bias_gradient() const {
  if (bias_.empty()) return {};
  return at::tensor(at::ArrayRef<double>(bias_), at::kDouble).to(at::kFloat);
}

}  // namespace gs
