#include "nn/ops/prelu.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "base/error.h"

namespace gs {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct Prelu : torch::autograd::Function<Prelu> {
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& slope) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    context->save_for_backward({x, slope});
    return at::leaky_relu(x, slope.item());
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &slope = saved[1], &dy = gradients[0];
    const at::Tensor dx = at::leaky_relu_backward(dy, x, slope.item(), false);
    return {dx, x.clamp_max(0).mul_(dy).sum().reshape(slope.sizes())};
  }
};

}  // namespace

at::Tensor prelu(const at::Tensor& x, const at::Tensor& slope) {
  GS_ASSERT(slope.numel() == 1);
  return Prelu::apply(x, slope);
}

}  // namespace gs
