// Gradients against central differences, in double: every element of every input is moved both
// ways.
//   expect_gradients([&] { return model_loss(w); }, {{"w", w}});
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "nn/parameters.h"
#include "support/torch_threads.h"

namespace gs::test {

// The largest difference between backward() and (f(x + h) - f(x - h)) / 2h over all elements, in
// units of the larger of 1 and the largest gradient of the input. `f` must be a pure function of
// the inputs, which are leaves of doubles.
inline double gradient_error(const std::function<at::Tensor()>& f,
                             const std::vector<NamedTensor>& inputs, double h = 1e-6) {
  const TorchThreads one(1);
  for (const auto& [name, input] : inputs) input.mutable_grad() = at::Tensor();
  f().backward();
  double worst = 0;
  for (const auto& [name, input] : inputs) {
    EXPECT_EQ(input.scalar_type(), at::kDouble) << name;
    EXPECT_TRUE(input.is_contiguous()) << name;
    EXPECT_TRUE(input.grad().defined()) << name << " got no gradient";
    if (!input.grad().defined()) return 1;
    const at::NoGradGuard no_gradient;
    const at::Tensor analytic = input.grad().contiguous();
    const double scale = std::max(1.0, analytic.abs().max().item<double>());
    double* x = input.data_ptr<double>();
    for (int64_t i = 0; i < input.numel(); ++i) {
      const double before = x[i];
      x[i] = before + h;
      const double up = f().item<double>();
      x[i] = before - h;
      const double down = f().item<double>();
      x[i] = before;
      worst =
          std::max(worst, std::abs((up - down) / (2 * h) - analytic.data_ptr<double>()[i]) / scale);
    }
  }
  return worst;
}

inline void expect_gradients(const std::function<at::Tensor()>& f,
                             const std::vector<NamedTensor>& inputs, double tolerance = 1e-7) {
  EXPECT_LT(gradient_error(f, inputs), tolerance);
}

// Random numbers about 0 that do not depend on libtorch's generator; a leaf when `gradient`.
inline at::Tensor random_tensor(at::IntArrayRef shape, uint64_t seed, bool gradient = true) {
  at::Tensor out = at::empty(shape, at::kDouble);
  Random random(seed);
  for (int64_t i = 0; i < out.numel(); ++i) out.data_ptr<double>()[i] = random.normal();
  return out.set_requires_grad(gradient);
}

}  // namespace gs::test
