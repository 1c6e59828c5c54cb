#include "nn/ops/epilogue.h"

#include <torch/csrc/autograd/custom_function.h>

#include "base/error.h"
#include "nn/ops/native_epilogue.h"

namespace gs {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct EpilogueFunction : torch::autograd::Function<EpilogueFunction> {
  static Variable forward(AutogradContext* context, const Variable& x, const Maybe& bias,
                          const Maybe& skip, const EpilogueSpec& spec) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    Variable y = x.clone(at::MemoryFormat::Contiguous);
    const NativeEpilogue native(spec, known(bias), known(skip), y.size(0), y.size(1));
    epilogue_forward(native.kernel(), y.size(0), y.size(1), y.data_ptr<float>());
    native.save(context, {}, y);
    return y;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor dy = gradients[0].contiguous();
    const SavedEpilogue saved(context, dy);
    at::Tensor dx = saved.through(dy);
    return {dx, saved.bias_gradient(), saved.skip_gradient(dy), Variable()};
  }
};

}  // namespace

at::Tensor plain_epilogue(const at::Tensor& x, const Epilogue& f) {
  at::Tensor y = f.bias.defined() ? x + f.bias : x;
  if (f.relu) y = y.relu();
  if (!f.dropout.empty()) {
    const auto views = static_cast<int64_t>(f.dropout.size());
    GS_ASSERT(x.dim() == 2 && x.size(1) % views == 0);
    std::vector<at::Tensor> masks;
    for (const DropoutRule& rule : f.dropout) {
      at::Tensor mask =
          at::empty({x.size(0), x.size(1) / views}, at::TensorOptions().dtype(x.scalar_type()));
      if (x.scalar_type() == at::kDouble)
        dropout_mask(rule, 0, mask.size(0), mask.size(1), mask.data_ptr<double>());
      else dropout_mask(rule, 0, mask.size(0), mask.size(1), mask.data_ptr<float>());
      masks.push_back(mask);
    }
    y = y * at::cat(masks, 1).to(x.device());
  }
  return f.skip.defined() ? y + f.skip : y;
}

at::Tensor apply_epilogue(const at::Tensor& x, const Epilogue& f) {
  if (f.nothing()) return x;
  if (!f.native || !serves_natively(x)) return plain_epilogue(x, f);
  if (f.relu && f.skip.defined()) return apply_epilogue(x, without_skip(f)) + f.skip;
  return EpilogueFunction::apply(x, maybe(f.bias), maybe(f.skip), EpilogueSpec{f.relu, f.dropout});
}

}  // namespace gs
