#include "train/adam.h"

#include <cmath>

namespace gs {

Adam::Adam(const Parameters& parameters, const AdamOptions& options) : options_(options) {
  for (const auto& [name, weight] : parameters.weights())
    moments_.push_back({weight, at::zeros_like(weight), at::zeros_like(weight), name});
}

void Adam::step() {
  const at::NoGradGuard no_gradient;
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const double correction1 = 1 - std::pow(options_.beta1, t),
               correction2 = 1 - std::pow(options_.beta2, t);
  for (Moments& p : moments_) {
    if (!p.weight.grad().defined()) continue;
    const at::Tensor gradient = options_.weight_decay > 0
                                    ? p.weight.grad() + options_.weight_decay * p.weight
                                    : p.weight.grad();
    p.first.lerp_(gradient, 1 - options_.beta1);
    p.second.mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
    const at::Tensor divisor = (p.second.sqrt() / std::sqrt(correction2)).add_(options_.epsilon);
    p.weight.addcdiv_(p.first, divisor, -options_.lr / correction1);
  }
}

std::vector<NamedTensor> Adam::state() const {
  std::vector<NamedTensor> out;
  for (const Moments& p : moments_) {
    out.push_back({"m." + p.name, p.first});
    out.push_back({"v." + p.name, p.second});
  }
  return out;
}

double clip_gradients(const Parameters& parameters, double limit) {
  const at::NoGradGuard no_gradient;
  double square = 0;
  for (const auto& [name, weight] : parameters.weights())
    if (weight.grad().defined())
      square += std::pow(
          at::linalg_vector_norm(weight.grad(), 2, {}, false, at::kDouble).item<double>(), 2);
  const double norm = std::sqrt(square);
  if (limit > 0 && norm > limit)
    for (const auto& [name, weight] : parameters.weights())
      if (weight.grad().defined()) weight.grad().mul_(limit / norm);
  return norm;
}

}  // namespace gs
