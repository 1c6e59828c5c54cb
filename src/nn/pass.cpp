#include "nn/pass.h"

#include "base/error.h"
#include "kernels/dropout.h"

namespace gs {

at::Tensor dropout(const at::Tensor& x, double probability, const Pass& pass,
                   std::string_view place, int64_t layer) {
  if (!pass.training || probability <= 0) return x;
  GS_ASSERT(x.dim() == 2);
  const DropoutRule rule =
      dropout_rule(pass.masks.fork(place, layer, pass.view).key(), probability);
  at::Tensor mask = at::empty(x.sizes(), at::TensorOptions().dtype(x.scalar_type()));
  if (x.scalar_type() == at::kDouble)
    dropout_mask(rule, 0, x.size(0), x.size(1), mask.data_ptr<double>());
  else dropout_mask(rule, 0, x.size(0), x.size(1), mask.data_ptr<float>());
  return x * mask.to(x.device());
}

}  // namespace gs
