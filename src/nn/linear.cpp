#include "nn/linear.h"

namespace gs {

Linear::Linear(Parameters& store, const std::string& name, int64_t inputs, int64_t outputs,
               bool bias) {
  const double bound = linear_bound(inputs);
  weight_ = store.uniform(name + ".weight", {outputs, inputs}, bound);
  if (bias) bias_ = store.uniform(name + ".bias", {outputs}, bound);
}

at::Tensor Linear::operator()(const Input& x) const {
  if (!x.sparse() && !x.is_view() && bias_.defined())
    return at::addmm(bias_, x.dense(), weight_.t());
  const at::Tensor y = x.times(weight_);
  return bias_.defined() ? y + bias_ : y;
}

Mlp::Mlp(Parameters& store, const std::string& name, int64_t inputs, int64_t outputs,
         int64_t layers) {
  for (int64_t i = 0; i < layers; ++i)
    layers_.emplace_back(store, layers == 1 ? name : name + "." + std::to_string(i),
                         i == 0 ? inputs : outputs, outputs);
}

at::Tensor Mlp::operator()(const Input& x) const {
  at::Tensor h = layers_.front()(x);
  for (size_t i = 1; i < layers_.size(); ++i) h = layers_[i](h.relu());
  return h;
}

}  // namespace gs
