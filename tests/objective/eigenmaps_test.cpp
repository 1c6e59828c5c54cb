#include "objective/eigenmaps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/gradients.h"

namespace gs {
namespace {

using test::expect_gradients;
using test::random_tensor;

constexpr Constraint kForms[] = {Constraint::columns, Constraint::rows, Constraint::scaled,
                                 Constraint::naive};

LossOptions options(Constraint form, std::string weight = "1000", double gamma = 0.5) {
  return {.similarity_weight = std::move(weight), .constraint = form, .gamma = gamma};
}

at::Tensor matrix(std::vector<double> values, int64_t columns, bool gradient = false) {
  return at::tensor(values, at::kDouble).view({-1, columns}).clone().set_requires_grad(gradient);
}

double term(const Loss& loss, size_t index) { return loss.terms.at(index).second; }

// At unit length, Z1 has the rows (1, 0), (0, 1), (0, 1) and Z2 the rows (1, 0), (1, 0), (0, 1).
const at::Tensor kFirst = matrix({2, 0, 0, 3, 0, 0.5}, 2), kSecond = matrix({7, 0, 1, 0, 0, 2}, 2);

TEST(Eigenmaps, SimilarityByHand) {  // squared distances 0, 2, 0: their mean is 2/3
  EXPECT_NEAR(term(eigenmaps_loss(kFirst, kSecond, options(Constraint::columns)), 0), 2000.0 / 3,
              1e-12);
  EXPECT_NEAR(term(eigenmaps_loss(kFirst, kSecond, options(Constraint::columns, "6")), 0), 4,
              1e-12);
  EXPECT_NEAR(term(eigenmaps_loss(kFirst, kSecond, options(Constraint::columns, "sum")), 0), 2,
              1e-12);
  EXPECT_NEAR(term(eigenmaps_loss(kFirst, kSecond, options(Constraint::columns, "element")), 0),
              1.0 / 3, 1e-12);
}

// G1 = diag(1, 2), G2 = diag(2, 1): columns 1 + 1; rows sqrt(5 - 6 + 3) each; scaled ((2/3) 1 -
// 1)^2 + ((2/3) 2 - 1)^2 each.
TEST(Eigenmaps, ConstraintByHand) {
  const auto constraint = [](Constraint form) {
    return term(eigenmaps_loss(kFirst, kSecond, options(form, "1000", 10)), 1);
  };
  EXPECT_NEAR(constraint(Constraint::columns), 20, 1e-12);
  EXPECT_NEAR(constraint(Constraint::rows), 20 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(constraint(Constraint::naive), 20 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(constraint(Constraint::scaled), 20 * (2.0 / 9), 1e-12);
}

TEST(Eigenmaps, TotalIsTheSumOfItsNamedTerms) {
  const Loss loss = eigenmaps_loss(kFirst, kSecond, options(Constraint::columns));
  ASSERT_EQ(loss.terms.size(), 2);
  EXPECT_EQ(loss.terms[0].first, "similarity");
  EXPECT_EQ(loss.terms[1].first, "constraint");
  EXPECT_NEAR(loss.total.item<double>(), term(loss, 0) + term(loss, 1), 1e-12);
}

TEST(Eigenmaps, DoesNotDependOnTheLengthOfRows) {
  const at::Tensor a = random_tensor({9, 4}, 1, false), b = random_tensor({9, 4}, 2, false);
  const at::Tensor scale = at::arange(1, 10, at::kDouble).view({9, 1});
  for (const Constraint form : kForms)
    EXPECT_NEAR(eigenmaps_loss(a * scale, b / scale, options(form)).total.item<double>(),
                eigenmaps_loss(a, b, options(form)).total.item<double>(), 1e-9);
}

TEST(Eigenmaps, GradientsOfEveryForm) {
  for (const Constraint form : kForms)
    for (const char* weight : {"10", "sum", "element"})
      for (const auto& [n, k] : {std::pair{9, 4}, {4, 9}, {5, 5}, {6, 1}, {2, 3}}) {
        const at::Tensor a = random_tensor({n, k}, 3), b = random_tensor({n, k}, 4);
        SCOPED_TRACE(
            fmt::format("form {}, weight {}, {} x {}", static_cast<int>(form), weight, n, k));
        expect_gradients([&] { return eigenmaps_loss(a, b, options(form, weight)).total; },
                         {{"z1", a}, {"z2", b}});
      }
}

TEST(Eigenmaps, RowsByIdentityIsRowsNaive) {
  for (const auto& [n, k] : {std::pair{40, 6}, {7, 6}, {6, 6}, {3, 8}, {30, 1}}) {
    const at::Tensor a = random_tensor({n, k}, 5), b = random_tensor({n, k}, 6);
    const auto run = [&](Constraint form) {
      a.mutable_grad() = b.mutable_grad() = at::Tensor();
      const Loss loss = eigenmaps_loss(a, b, options(form, "1", 3));
      loss.total.backward();
      return std::vector{loss.total.detach(), a.grad(), b.grad()};
    };
    const auto identity = run(Constraint::rows), naive = run(Constraint::naive);
    for (size_t i = 0; i < identity.size(); ++i)
      EXPECT_LT((identity[i] - naive[i]).abs().max().item<double>(), 1e-11) << n << " x " << k;
  }
}

// Rows pairwise orthogonal except the last one: |ZZ' - I| is small beside its parts, which cancel
// in single precision.
TEST(Eigenmaps, RowsByIdentityHoldsInFloat) {
  constexpr int64_t k = 64;
  const at::Tensor z = at::cat({at::eye(k, at::kDouble), at::eye(k, at::kDouble).slice(0, 0, 1)});
  const at::Tensor mixed = at::mm(z, std::get<0>(at::linalg_qr(random_tensor({k, k}, 7, false))));
  const auto value = [&](Constraint form, at::ScalarType type) {
    return term(eigenmaps_loss(mixed.to(type), mixed.to(type), options(form, "1", 1)), 1);
  };
  EXPECT_NEAR(value(Constraint::naive, at::kDouble), 2 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(value(Constraint::rows, at::kFloat), 2 * std::sqrt(2), 1e-4);
}

TEST(Eigenmaps, ZeroRowsCountAsZeroAndGetNoGradient) {
  for (const Constraint form : kForms)
    for (const double tiny : {0.0, 1e-13, 1e-200}) {
      at::Tensor a = random_tensor({8, 3}, 8, false), b = random_tensor({8, 3}, 9, false);
      a[2].zero_();
      a[2][0] = tiny;
      b[2].zero_();
      b[5].zero_();
      a.set_requires_grad(true), b.set_requires_grad(true);
      const Loss loss = eigenmaps_loss(a, b, options(form));
      loss.total.backward();
      EXPECT_TRUE(std::isfinite(loss.total.item<double>()));
      EXPECT_TRUE(at::isfinite(a.grad()).all().item<bool>());
      EXPECT_EQ(a.grad()[2].abs().max().item<double>(), 0);
      EXPECT_EQ(b.grad()[5].abs().max().item<double>(), 0);
      EXPECT_GT(a.grad()[5].abs().max().item<double>(), 0) << "the other view still learns";
      // A pair of zero rows has distance 0, a zero row and a unit row distance 1.
      at::Tensor a0 = a.detach().clone(), b0 = b.detach().clone();
      a0[2].zero_();
      EXPECT_NEAR(loss.total.item<double>(),
                  eigenmaps_loss(a0, b0, options(form)).total.item<double>(), 0);
    }
  const at::Tensor one = matrix({1, 0, 0, 0}, 2), both = matrix({0, 2, 0, 0}, 2);
  EXPECT_NEAR(term(eigenmaps_loss(one, both, options(Constraint::columns, "sum")), 0), 2, 1e-12);
  EXPECT_NEAR(
      term(eigenmaps_loss(one, at::zeros_like(one), options(Constraint::columns, "sum")), 0), 1,
      1e-12);
}

TEST(Eigenmaps, ShortRowsAreStillNormalized) {
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    const at::Tensor unit =
        unit_rows((matrix({3, 4, 3e-11, 4e-11}, 2) * 1.0).to(type)).to(at::kDouble);
    EXPECT_LT((unit - matrix({0.6, 0.8, 0.6, 0.8}, 2)).abs().max().item<double>(), 1e-6);
  }
}

TEST(Eigenmaps, GradientIsZeroWhereTheConstraintHolds) {
  for (const Constraint form : kForms) {
    const at::Tensor a = at::eye(4, at::kDouble).set_requires_grad(true);
    const at::Tensor b = at::eye(4, at::kDouble).set_requires_grad(true);
    const Loss loss = eigenmaps_loss(a, b, options(form));
    loss.total.backward();
    EXPECT_EQ(loss.total.item<double>(), 0);
    EXPECT_EQ(a.grad().abs().max().item<double>(), 0);
  }
}

TEST(Eigenmaps, SimilarityOfNearlyEqualViewsDoesNotCancelInFloat) {
  const at::Tensor a = at::ones({50, 16}, at::kFloat);
  at::Tensor b = a.clone();
  b.select(1, 0) += 1e-4f;
  const double exact =
      term(eigenmaps_loss(a.to(at::kDouble), b.to(at::kDouble), options(Constraint::columns)), 0);
  EXPECT_NEAR(term(eigenmaps_loss(a, b, options(Constraint::columns)), 0) / exact, 1, 1e-2);
}

TEST(Eigenmaps, ScaledDoesNotDependOnTheNumberOfRows) {
  const at::Tensor a = random_tensor({10, 3}, 10, false), b = random_tensor({10, 3}, 11, false);
  const double once = eigenmaps_loss(a, b, options(Constraint::scaled)).total.item<double>();
  const double thrice =
      eigenmaps_loss(a.repeat({3, 1}), b.repeat({3, 1}), options(Constraint::scaled))
          .total.item<double>();
  EXPECT_NEAR(once, thrice, 1e-10);
}

}  // namespace
}  // namespace gs
