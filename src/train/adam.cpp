#include "train/adam.h"

#include <cmath>

#include "kernels/adam.h"

namespace gs {

Adam::Adam(const Parameters& parameters, const AdamOptions& options)
    : options_(options), native_(parameters.device().native) {
  for (const auto& [name, weight] : parameters.weights())
    moments_.push_back({weight, at::zeros_like(weight), at::zeros_like(weight), name});
}

double Adam::step(double clip) {
  const at::NoGradGuard no_gradient;
  return native_ ? native_step(clip) : plain_step(clip);
}

double Adam::native_step(double clip) {
  std::vector<AdamSpan> spans;
  std::vector<at::Tensor> gradients;
  for (Moments& p : moments_) {
    if (!p.weight.grad().defined()) continue;
    gradients.push_back(p.weight.grad().contiguous());
    spans.push_back({p.weight.data_ptr<float>(), gradients.back().const_data_ptr<float>(),
                     p.first.data_ptr<float>(), p.second.data_ptr<float>(), p.weight.numel()});
  }
  const double norm = std::sqrt(squared_norm(spans));
  if (!std::isfinite(norm)) return norm;
  ++steps_;
  adam_step({options_.lr, options_.beta1, options_.beta2, options_.epsilon, options_.weight_decay,
             steps_, clip > 0 && norm > clip ? clip / norm : 1},
            spans);
  return norm;
}

double Adam::plain_step(double clip) {
  double square = 0;
  for (const Moments& p : moments_)
    if (p.weight.grad().defined())
      square += std::pow(
          at::linalg_vector_norm(p.weight.grad(), 2, {}, false, at::kDouble).item<double>(), 2);
  const double norm = std::sqrt(square);
  if (!std::isfinite(norm)) return norm;
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const double correction1 = 1 - std::pow(options_.beta1, t),
               correction2 = 1 - std::pow(options_.beta2, t);
  for (Moments& p : moments_) {
    if (!p.weight.grad().defined()) continue;
    at::Tensor gradient = p.weight.grad();
    if (clip > 0 && norm > clip) gradient = gradient * (clip / norm);
    if (options_.weight_decay > 0) gradient = gradient + options_.weight_decay * p.weight;
    p.first.lerp_(gradient, 1 - options_.beta1);
    p.second.mul_(options_.beta2).addcmul_(gradient, gradient, 1 - options_.beta2);
    const at::Tensor divisor = (p.second.sqrt() / std::sqrt(correction2)).add_(options_.epsilon);
    p.weight.addcdiv_(p.first, divisor, -options_.lr / correction1);
  }
  return norm;
}

std::vector<NamedTensor> Adam::state() const {
  std::vector<NamedTensor> out;
  for (const Moments& p : moments_) {
    out.push_back({"m." + p.name, p.first});
    out.push_back({"v." + p.name, p.second});
  }
  return out;
}

}  // namespace gs
