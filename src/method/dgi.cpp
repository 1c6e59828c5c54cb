#include "method/dgi.h"

#include "method/maker.h"
#include "objective/jensen_shannon.h"

namespace gs {

Dgi::Dgi(const MethodSetting& setting)
    : EncoderMethod(setting, encoder_shape(setting, Activation::prelu, true)),
      discriminator_(parameters_, "discriminator", encoder_.shape().outputs) {}

Loss Dgi::loss(const Batch& batch, const at::Tensor& order, Random masks) const {
  const auto rows = [&](const Input& x, int view, const at::Tensor& aggregated) {
    const Pass pass{true, 0, masks.fork("view", view), 1};
    return batch.of_targets(encoder_.forward(x, batch.adjacency, pass, aggregated));
  };
  const at::Tensor h = rows(batch.features, 0, batch.aggregated),
                   corrupted = rows(batch.features.ordered(order), 1, {});
  const at::Tensor summary = sigmoid_mean(h, batch.weights);
  return jensen_shannon_loss(discriminator_(h, summary), discriminator_(corrupted, summary),
                             batch.weights);
}

Loss Dgi::loss(const Batch& batch, const Step& step) {
  return loss(batch, row_shuffle(batch.features.rows(), step.random, parameters_.device()),
              step.random);
}

template MethodMaker method_maker<Dgi>();

}  // namespace gs
