#include "nn/parameters.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gs {
namespace {

const Device kDouble{at::kCPU, at::kDouble}, kFloat{at::kCPU, at::kFloat};

TEST(Parameters, SameSeedSameValuesOtherSeedOthers) {
  Parameters a(kDouble, Random(1)), b(kDouble, Random(1)), c(kDouble, Random(2));
  const at::Tensor x = a.uniform("w", {4, 5}, 2), y = b.uniform("w", {4, 5}, 2),
                   z = c.uniform("w", {4, 5}, 2);
  EXPECT_TRUE(at::equal(x, y));
  EXPECT_FALSE(at::equal(x, z));
}

TEST(Parameters, AddingOneLeavesTheOthersAlone) {
  Parameters a(kDouble, Random(1)), b(kDouble, Random(1));
  a.uniform("extra", {100}, 1);
  EXPECT_TRUE(at::equal(a.uniform("w", {7}, 1), b.uniform("w", {7}, 1)));
  EXPECT_FALSE(at::equal(a.uniform("v", {7}, 1), b.weights()[0].tensor));
}

TEST(Parameters, FloatIsTheRoundedDouble) {
  Parameters a(kDouble, Random(1)), b(kFloat, Random(1));
  EXPECT_TRUE(at::equal(a.uniform("w", {50}, 1).to(at::kFloat), b.uniform("w", {50}, 1)));
}

TEST(Parameters, UniformFillsItsRange) {
  Parameters parameters(kDouble, Random(3));
  const at::Tensor w = parameters.uniform("w", {20000}, 0.5).detach();
  EXPECT_LE(w.abs().max().item<double>(), 0.5);
  EXPECT_GT(w.max().item<double>(), 0.499);
  EXPECT_LT(w.min().item<double>(), -0.499);
  EXPECT_NEAR(w.mean().item<double>(), 0, 4 * 0.5 / std::sqrt(3 * 20000.0));
  EXPECT_NEAR(w.var().item<double>(), 0.25 / 3, 0.002);
}

TEST(Parameters, KeepsOrderAndTellsWeightsFromBuffers) {
  Parameters parameters(kDouble, Random(1));
  parameters.uniform("b", {2, 3}, 1);
  parameters.buffer("statistics", {4}, 1);
  parameters.constant("a", {5}, 7);
  ASSERT_EQ(parameters.weights().size(), 2);
  EXPECT_EQ(parameters.weights()[0].name, "b");
  EXPECT_EQ(parameters.weights()[1].name, "a");
  ASSERT_EQ(parameters.all().size(), 3);
  EXPECT_EQ(parameters.all()[2].name, "statistics");
  EXPECT_EQ(parameters.count(), 11);
  EXPECT_TRUE(parameters.weights()[1].tensor.requires_grad());
  EXPECT_FALSE(parameters.buffers()[0].tensor.requires_grad());
  EXPECT_EQ(parameters.weights()[1].tensor[4].item<double>(), 7);
}

TEST(Parameters, ZeroGradientsForgetsThem) {
  Parameters parameters(kDouble, Random(1));
  const at::Tensor w = parameters.constant("w", {3}, 2);
  (w * w).sum().backward();
  EXPECT_EQ(w.grad()[0].item<double>(), 4);
  parameters.zero_gradients();
  EXPECT_FALSE(w.grad().defined());
  (w * w).sum().backward();
  EXPECT_EQ(w.grad()[0].item<double>(), 4) << "not added to the old ones";
}

}  // namespace
}  // namespace gs
