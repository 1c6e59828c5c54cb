#include "nn/activation.h"

#include "base/error.h"
#include "nn/ops/prelu.h"

namespace gs {

ActivationFunction make_activation(Activation kind, Parameters& store, const std::string& name) {
  switch (kind) {
    case Activation::relu:
      return {};
    case Activation::prelu:
      return [slope = store.constant(name, {1}, 0.25)](const at::Tensor& x) {
        return gs::prelu(x, slope);
      };
    case Activation::elu:
      return [](const at::Tensor& x) { return at::elu(x); };
  }
  GS_ASSERT(!"activation");
}

}  // namespace gs
