#include "eval/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gs::test {
namespace {

at::Tensor doubles(std::vector<double> values) { return at::tensor(values, at::kDouble); }

TEST(Lbfgs, FindsTheMinimumOfAQuadraticOfVeryUnequalCurvatures) {
  const at::Tensor curvature = doubles({1, 10, 1000, 1e4}), center = doubles({1, -2, 3, 0.5});
  const auto bowl = [&](const at::Tensor& x) {
    const at::Tensor away = x - center;
    return Evaluation{(curvature * away * away).sum().item<double>() / 2, curvature * away};
  };
  const Minimum found = minimize(bowl, at::zeros({4}, at::kDouble));
  EXPECT_TRUE(found.converged);
  EXPECT_LT((found.x - center).abs().max().item<double>(), 1e-6);
  EXPECT_LE(found.gradient_norm, 1e-8);
}

TEST(Lbfgs, FollowsRosenbrocksValley) {
  const auto valley = [](const at::Tensor& at_x) {
    const double x = at_x[0].item<double>(), y = at_x[1].item<double>();
    return Evaluation{(1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x),
                      doubles({-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)})};
  };
  const Minimum found = minimize(valley, doubles({-1.2, 1}));
  EXPECT_TRUE(found.converged);
  EXPECT_LT((found.x - 1).abs().max().item<double>(), 1e-6);
  EXPECT_LT(found.iterations, 100);
}

TEST(Lbfgs, StaysInsideTheDomain) {  // x - log x has no value at or below 0; its minimum is at 1
  const auto barrier = [](const at::Tensor& x) {
    return Evaluation{(x - x.log()).sum().item<double>(), 1 - x.reciprocal()};
  };
  const Minimum found = minimize(barrier, doubles({0.01, 30}));
  EXPECT_TRUE(found.converged);
  EXPECT_LT((found.x - 1).abs().max().item<double>(), 1e-6);
}

TEST(Lbfgs, StopsAtOnceAtAMinimumAndWhenOutOfIterations) {
  int calls = 0;
  const auto bowl = [&](const at::Tensor& x) {
    ++calls;
    return Evaluation{at::dot(x, x).item<double>(), 2 * x};
  };
  EXPECT_EQ(minimize(bowl, doubles({0, 0})).iterations, 0);
  EXPECT_EQ(calls, 1);
  const auto slow = [](const at::Tensor& x) {
    return Evaluation{x.pow(4).sum().item<double>(), 4 * x.pow(3)};
  };
  const Minimum stopped = minimize(slow, doubles({5, 3}), {.iterations = 2});
  EXPECT_EQ(stopped.iterations, 2);
  EXPECT_FALSE(stopped.converged);
}

TEST(Lbfgs, EndsWhenNoStepLowersTheValue) {  // a slope that lies: nothing gets lower along it
  const auto liar = [](const at::Tensor& x) {
    return Evaluation{x.abs().sum().item<double>(), at::ones_like(x)};
  };
  const Minimum found = minimize(liar, doubles({0, 0}));
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.value, 0);
}

TEST(Lbfgs, LeavesTheStartingPointAlone) {
  const at::Tensor start = doubles({4, 4});
  minimize(
      [](const at::Tensor& x) {
        return Evaluation{at::dot(x, x).item<double>(), 2 * x};
      },
      start);
  EXPECT_TRUE(at::equal(start, doubles({4, 4})));
}

}  // namespace
}  // namespace gs::test
