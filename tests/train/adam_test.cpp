#include "train/adam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/gradients.h"

namespace gs {
namespace {

const Place kDouble{at::kCPU, at::kDouble};

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

// The rule written out for one number.
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

TEST(Adam, GoesOnFromASavedState) {
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

TEST(ClipGradients, ScalesAllGradientsTogether) {
  Parameters parameters(kDouble, Random(1));
  const at::Tensor a = parameters.constant("a", {2}, 0), b = parameters.constant("b", {1}, 0);
  parameters.constant("without", {1}, 0);
  set_gradient(a, {3, 0});
  set_gradient(b, {4});
  EXPECT_EQ(clip_gradients(parameters, 0), 5) << "0 only measures";
  EXPECT_EQ(clip_gradients(parameters, 10), 5);
  EXPECT_EQ(numbers(a.grad())[0], 3) << "below the limit nothing changes";
  EXPECT_EQ(clip_gradients(parameters, 0.5), 5) << "the norm before clipping is returned";
  EXPECT_NEAR(numbers(a.grad())[0], 0.3, 1e-15);
  EXPECT_NEAR(numbers(b.grad())[0], 0.4, 1e-15);
  EXPECT_NEAR(clip_gradients(parameters, 0), 0.5, 1e-15);
}

TEST(ClipGradients, NormIsTakenInDouble) {  // 1e20 squared does not fit a float
  Parameters parameters({at::kCPU, at::kFloat}, Random(1));
  const at::Tensor w = parameters.constant("w", {4}, 0);
  w.mutable_grad() = at::full({4}, 1e20, at::kFloat);
  EXPECT_NEAR(clip_gradients(parameters, 0) / 2e20, 1, 1e-6);
}

}  // namespace
}  // namespace gs
