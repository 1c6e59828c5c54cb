#include "train/adam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/gradients.h"

namespace gs {
namespace {

const Device kDouble{at::kCPU, at::kDouble};

void set_gradient(const at::Tensor& weight, std::vector<double> values) {
  weight.mutable_grad() = at::tensor(values, at::kDouble).view(weight.sizes());
}

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

TEST(Adam, FirstStepIsTheLearningRateAgainstTheSign) {
  Parameters parameters(kDouble, Random(1));
  const at::Tensor w = parameters.constant("w", {3}, 1);
  Adam adam(parameters, {.lr = 0.1, .epsilon = 0});
  set_gradient(w, {1e-9, -5, 1e9});
  adam.step();
  const auto got = numbers(w);
  EXPECT_NEAR(got[0], 0.9, 1e-12);
  EXPECT_NEAR(got[1], 1.1, 1e-12);
  EXPECT_NEAR(got[2], 0.9, 1e-12);
  EXPECT_EQ(adam.steps(), 1);
}

// Adam's update rule, written out for one number.
TEST(Adam, FollowsTheRuleOverManySteps) {
  for (const double decay : {0.0, 0.3}) {
    Parameters parameters(kDouble, Random(1));
    const at::Tensor w = parameters.constant("w", {1}, 0.5);
    Adam adam(parameters,
              {.lr = 0.05, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-3, .weight_decay = decay});
    double x = 0.5, m = 0, v = 0;
    for (int t = 1; t <= 30; ++t) {
      const double raw = std::sin(t) + x, g = raw + decay * x;
      set_gradient(w, {raw});
      adam.step();
      m = 0.8 * m + 0.2 * g;
      v = 0.95 * v + 0.05 * g * g;
      x -= 0.05 * (m / (1 - std::pow(0.8, t))) / (std::sqrt(v / (1 - std::pow(0.95, t))) + 1e-3);
      ASSERT_NEAR(numbers(w)[0], x, 1e-12) << "step " << t << ", decay " << decay;
    }
  }
}

TEST(Adam, LeavesGradientsAsTheyAreAndWeightsWithoutOne) {
  Parameters parameters(kDouble, Random(1));
  const at::Tensor a = parameters.constant("a", {1}, 2), b = parameters.constant("b", {1}, 2);
  Adam adam(parameters, {.lr = 0.1, .weight_decay = 0.5});
  set_gradient(a, {3});
  adam.step();
  EXPECT_EQ(numbers(a.grad())[0], 3);
  EXPECT_NE(numbers(a)[0], 2);
  EXPECT_EQ(numbers(b)[0], 2);
}

TEST(Adam, ContinuesFromASavedState) {
  const auto gradient = [](int t) { return std::vector<double>{std::cos(t), 0.1 * t}; };
  Parameters whole(kDouble, Random(1)), parts(kDouble, Random(1));
  const at::Tensor w = whole.uniform("w", {2}, 1), p = parts.uniform("w", {2}, 1);
  Adam straight(whole, {.lr = 0.1});
  for (int t = 0; t < 20; ++t) set_gradient(w, gradient(t)), straight.step();

  Adam before(parts, {.lr = 0.1});
  for (int t = 0; t < 7; ++t) set_gradient(p, gradient(t)), before.step();
  Adam after(parts, {.lr = 0.1});
  const auto saved = before.state();
  const auto fresh = after.state();
  ASSERT_EQ(saved.size(), 2);
  EXPECT_EQ(saved[0].name, "m.w");
  EXPECT_EQ(saved[1].name, "v.w");
  for (size_t i = 0; i < saved.size(); ++i) fresh[i].tensor.copy_(saved[i].tensor);
  after.set_steps(before.steps());
  for (int t = 7; t < 20; ++t) set_gradient(p, gradient(t)), after.step();
  EXPECT_EQ(numbers(p), numbers(w));
}

// A step with clipping is a step with the gradients scaled down together.
TEST(Adam, ClipsAllGradientsTogether) {
  for (const Device& device :
       {kDouble, Device{at::kCPU, at::kFloat}, Device{at::kCPU, at::kFloat, true}})
    for (const double clip : {0.0, 10.0, 0.5}) {
      Parameters clipped(device, Random(1)), scaled(device, Random(1));
      std::vector<at::Tensor> weights;
      for (Parameters* p : {&clipped, &scaled})
        for (const double value : {3.0, 4.0}) {
          weights.push_back(p->constant(value == 3 ? "a" : "b", {1}, 0));
          const double factor = p == &scaled && clip == 0.5 ? 0.1 : 1;
          weights.back().mutable_grad() = at::full({1}, value * factor, device.options());
        }
      clipped.constant("without", {1}, 0);
      Adam one(clipped, {.lr = 0.1, .epsilon = 1}), other(scaled, {.lr = 0.1, .epsilon = 1});
      EXPECT_NEAR(one.step(clip), 5, 1e-12) << "the norm before clipping is returned";
      other.step();
      for (const size_t i : {0, 1})
        EXPECT_NEAR(weights[i].item<double>(), weights[i + 2].item<double>(), 1e-7);
    }
}

// 1e20 squared does not fit a float.
TEST(Adam, NormIsComputedInDouble) {
  for (const bool native : {false, true}) {
    Parameters parameters({at::kCPU, at::kFloat, native}, Random(1));
    const at::Tensor w = parameters.constant("w", {400}, 0);
    w.mutable_grad() = at::full({400}, 1e20, at::kFloat);
    EXPECT_NEAR(Adam(parameters, {}).step() / 2e21, 1, 1e-6);
  }
}

TEST(Adam, TakesNoStepOnABadGradient) {
  for (const bool native : {false, true}) {
    Parameters parameters({at::kCPU, at::kFloat, native}, Random(1));
    const at::Tensor w = parameters.constant("w", {3}, 2);
    w.mutable_grad() = at::tensor({1.f, NAN, 1.f});
    Adam adam(parameters, {});
    EXPECT_FALSE(std::isfinite(adam.step()));
    EXPECT_EQ(adam.steps(), 0);
    EXPECT_TRUE(at::equal(w.detach(), at::full({3}, 2.f)));
  }
}

TEST(Adam, NativeIsThePlainTwin) {
  for (const double decay : {0.0, 0.1}) {
    const AdamOptions options{.lr = 0.01, .weight_decay = decay};
    Parameters plain({at::kCPU, at::kFloat}, Random(1)),
        native({at::kCPU, at::kFloat, true}, Random(1));
    std::vector<at::Tensor> a, b;
    for (const int64_t size : {1, 7, 33, 40000, 100003}) {
      a.push_back(plain.uniform(std::to_string(size), {size}, 1));
      b.push_back(native.uniform(std::to_string(size), {size}, 1));
    }
    Adam one(plain, options), other(native, options);
    for (int step = 0; step < 5; ++step) {
      for (size_t i = 0; i < a.size(); ++i) {
        const at::Tensor g = test::random_tensor(a[i].sizes(), 10 * step + i, false).to(at::kFloat);
        a[i].mutable_grad() = g;
        b[i].mutable_grad() = g;
      }
      const double norm = one.step(3);
      EXPECT_NEAR(other.step(3) / norm, 1, 1e-6);
    }
    for (size_t i = 0; i < a.size(); ++i)
      EXPECT_LT((a[i] - b[i]).abs().max().item<double>(), 1e-6) << a[i].numel();
  }
}

}  // namespace
}  // namespace gs
