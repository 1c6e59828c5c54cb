// The objectives of the self-supervised baselines: values by hand or by a naive form, and gradients
// against central differences.
#include <gtest/gtest.h>

#include <cmath>

#include "objective/bootstrap.h"
#include "objective/decorrelation.h"
#include "objective/eigenmaps.h"
#include "objective/info_nce.h"
#include "objective/jensen_shannon.h"
#include "support/gradients.h"

namespace gs {
namespace {

using test::random_tensor;

at::Tensor positive_weights(int64_t rows) { return random_tensor({rows}, 11, false).abs() + 0.2; }

// The naive form: whole N x N matrices and plain autograd.
at::Tensor naive_info_nce(const at::Tensor& z1, const at::Tensor& z2, double t,
                          const at::Tensor& weights) {
  const at::Tensor a = unit_rows(z1), b = unit_rows(z2);
  const auto side = [&](const at::Tensor& x, const at::Tensor& y) {
    const at::Tensor between = (at::mm(x, y.t()) / t).exp(), within = (at::mm(x, x.t()) / t).exp();
    return -(between.diagonal() / (between.sum(1) + within.sum(1) - within.diagonal())).log();
  };
  const at::Tensor each = (side(a, b) + side(b, a)) / 2;
  return (weights.defined() ? each * weights : each).mean();
}

TEST(InfoNce, InBlocksIsTheNaiveFormForwardAndBackward) {
  for (const int64_t block : {1, 3, 7, 11, 64})
    for (const bool weighted : {false, true}) {
      const at::Tensor z1 = random_tensor({11, 4}, 1), z2 = random_tensor({11, 4}, 2);
      const at::Tensor y1 = random_tensor({11, 4}, 1), y2 = random_tensor({11, 4}, 2);
      const at::Tensor weights = weighted ? positive_weights(11) : at::Tensor();
      const at::Tensor blocks = info_nce_loss(z1, z2, 0.3, weights, block).total * 1.5;
      const at::Tensor naive = naive_info_nce(y1, y2, 0.3, weights) * 1.5;
      EXPECT_NEAR(blocks.item<double>(), naive.item<double>(), 1e-12) << block;
      blocks.backward();
      naive.backward();
      EXPECT_LT((z1.grad() - y1.grad()).abs().max().item<double>(), 1e-12) << block;
      EXPECT_LT((z2.grad() - y2.grad()).abs().max().item<double>(), 1e-12) << block;
    }
}

TEST(InfoNce, GradientsAreThoseOfDifferences) {
  const at::Tensor z1 = random_tensor({6, 3}, 3), z2 = random_tensor({6, 3}, 4);
  test::expect_gradients([&] { return info_nce_loss(z1, z2, 0.5, {}, 4).total; },
                         {{"z1", z1}, {"z2", z2}});
}

TEST(InfoNce, SmallTemperaturesDoNotOverflow) {
  const at::Tensor z1 = random_tensor({40, 8}, 5, false).to(at::kFloat).set_requires_grad(true);
  const at::Tensor loss = info_nce_loss(z1, z1.detach() + 0.01, 0.02).total;
  loss.backward();
  EXPECT_TRUE(std::isfinite(loss.item<double>()));
  EXPECT_TRUE(at::isfinite(z1.grad()).all().item<bool>());
}

TEST(JensenShannon, ByHandAndByDifferences) {
  const at::Tensor positive = at::tensor({0., 1.}), negative = at::tensor({0., -1.});
  const double softplus = std::log(1 + std::exp(-1.));
  const Loss loss = jensen_shannon_loss(positive, negative);
  EXPECT_NEAR(loss.total.item<double>(), (std::log(2.) + softplus) / 2, 1e-6);
  EXPECT_NEAR(loss.terms[0].second + loss.terms[1].second, loss.total.item<double>(), 1e-6);
  const at::Tensor a = random_tensor({5}, 1), b = random_tensor({5}, 2);
  test::expect_gradients([&] { return jensen_shannon_loss(a, b, positive_weights(5)).total; },
                         {{"true", a}, {"false", b}});
}

TEST(JensenShannon, TheReadoutIsASigmoidOfTheWeightedMean) {
  const at::Tensor h = at::tensor({1., 2., 3., 6.}).view({2, 2});
  EXPECT_TRUE(at::allclose(sigmoid_mean(h), at::tensor({2., 4.}).sigmoid()));
  EXPECT_TRUE(at::allclose(sigmoid_mean(h, at::tensor({3., 1.})), at::tensor({1.5, 3.}).sigmoid()));
}

TEST(Bootstrap, IsTwoMinusTheCosines) {
  const at::Tensor p1 = random_tensor({7, 3}, 1), p2 = random_tensor({7, 3}, 2),
                   t1 = random_tensor({7, 3}, 3), t2 = random_tensor({7, 3}, 4);
  const auto cosine = [](const at::Tensor& x, const at::Tensor& y) {
    return at::cosine_similarity(x, y).mean().item<double>();
  };
  EXPECT_NEAR(bootstrap_loss(p1, t2, p2, t1).total.item<double>(),
              2 - cosine(p1, t2) - cosine(p2, t1), 1e-12);
  test::expect_gradients([&] { return bootstrap_loss(p1, t2, p2, t1, positive_weights(7)).total; },
                         {{"p1", p1}, {"p2", p2}});
  EXPECT_FALSE(t1.grad().defined()) << "targets are constants";
}

TEST(Bootstrap, TheTargetsMomentumRisesToOne) {
  EXPECT_DOUBLE_EQ(target_momentum(0.99, 0, 100), 0.99);
  EXPECT_DOUBLE_EQ(target_momentum(0.99, 99, 100), 1);
  EXPECT_NEAR(target_momentum(0.9, 50, 101), 0.95, 1e-12);
  for (int64_t k = 1; k < 100; ++k)
    EXPECT_GT(target_momentum(0.99, k, 100), target_momentum(0.99, k - 1, 100));
  EXPECT_DOUBLE_EQ(target_momentum(0.5, 0, 1), 0.5);
}

TEST(Decorrelation, OfIdenticalOrthogonalViewsIsZero) {
  const at::Tensor z =
      at::tensor({1., 1., 1., -1., -1., 1., -1., -1.}, at::kDouble).view({4, 2}) * 3 + 5;
  EXPECT_NEAR(decorrelation_loss(z, z * 2 - 7, 0.5).total.item<double>(), 0, 1e-12);
  // Both columns the same: A'A is all ones, twice off by one.
  const at::Tensor same = at::cat({z.slice(1, 0, 1), z.slice(1, 0, 1)}, 1);
  EXPECT_NEAR(decorrelation_loss(same, same, 0.5).total.item<double>(), 0.5 * (2 + 2), 1e-12);
}

TEST(Decorrelation, GradientsAreThoseOfDifferencesAndWeightsRepeatRows) {
  const at::Tensor z1 = random_tensor({6, 3}, 3), z2 = random_tensor({6, 3}, 4);
  for (const at::Tensor& weights : {at::Tensor(), positive_weights(6)})
    test::expect_gradients([&] { return decorrelation_loss(z1, z2, 0.3, weights).total; },
                           {{"z1", z1}, {"z2", z2}});
  const at::Tensor twice = at::tensor({0, 1, 2, 3, 4, 5, 5}, at::kLong);
  const at::Tensor weights = at::tensor({1., 1., 1., 1., 1., 2.}, at::kDouble);
  EXPECT_NEAR(decorrelation_loss(z1, z2, 0.3, weights).total.item<double>(),
              decorrelation_loss(z1.index_select(0, twice), z2.index_select(0, twice), 0.3)
                  .total.item<double>(),
              1e-12);
}

TEST(Decorrelation, AConstantColumnIsZeroWithoutGradient) {
  const at::Tensor z = at::ones({4, 2}, at::kDouble).set_requires_grad(true);
  const at::Tensor loss = decorrelation_loss(z, z, 1).total;
  loss.backward();
  EXPECT_NEAR(loss.item<double>(), 4, 1e-12);
  EXPECT_TRUE(at::isfinite(z.grad()).all().item<bool>());
}

}  // namespace
}  // namespace gs
