#include "nn/skip.h"

#include "nn/ops/linear.h"

namespace gs {

LinearSkip::LinearSkip(Parameters& store, const std::string& name, int64_t inputs, int64_t outputs)
    : weight_(store.uniform(name + ".weight", {outputs, inputs}, linear_bound(inputs))),
      bias_(store.uniform(name + ".bias", {outputs}, linear_bound(inputs))),
      native_(store.device().native) {}

at::Tensor LinearSkip::add(const at::Tensor& h, const Input& x, int64_t views) const {
  return h + linear(x, weight_, Epilogue::none(native_), views) + repeated(bias_, views);
}

}  // namespace gs
