#include "method/bgrl.h"

#include <ATen/core/grad_mode.h>

#include "method/maker.h"
#include "nn/ops/prelu.h"
#include "objective/bootstrap.h"

namespace gs {

Bgrl::Bgrl(const MethodSetting& setting)
    : TwoViewMethod(setting, encoder_shape(setting, Activation::prelu, true)),
      first_(parameters_, "predictor.0", encoder_.shape().outputs, options_.predictor_dim),
      second_(parameters_, "predictor.1", options_.predictor_dim, encoder_.shape().outputs),
      slope_(parameters_.constant("predictor.slope", {1}, 0.25)),
      target_weights_(setting.device, setting.random.fork("target")),
      target_(target_weights_, "target", encoder_.shape()) {
  parameters_.adopt(target_weights_);
  const at::NoGradGuard no_gradient;
  const auto& online = parameters_.weights();  // the encoder's weights come first
  for (size_t i = 0; i < target_weights_.weights().size(); ++i)
    target_weights_.weights()[i].tensor.copy_(online[i].tensor);
}

at::Tensor Bgrl::predicted(const at::Tensor& h) const {
  return second_(gs::prelu(first_(h), slope_));
}

Loss Bgrl::loss(const Batch& batch, const ViewPair& views, const Step& step) {
  at::Tensor online[2], target[2];
  for (const int view : {0, 1}) {
    online[view] = predicted(encode(encoder_, batch, views, view, step));
    const at::NoGradGuard no_gradient;
    target[view] = encode(target_, batch, views, view, step);
  }
  return bootstrap_loss(online[0], target[1], online[1], target[0], batch.weights);
}

void Bgrl::after(const Step& step) {
  const at::NoGradGuard no_gradient;
  const double tau = target_momentum(options_.momentum, step.index, step.count);
  const auto& online = parameters_.weights();
  for (size_t i = 0; i < target_weights_.weights().size(); ++i) {
    at::Tensor target = target_weights_.weights()[i].tensor;
    target.mul_(tau).add_(online[i].tensor, 1 - tau);
  }
}

template MethodMaker method_maker<Bgrl>();

}  // namespace gs
