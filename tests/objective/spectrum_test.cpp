#include "objective/spectrum.h"

#include <ATen/ATen.h>

#include <gtest/gtest.h>

#include <cmath>

#include "support/gradients.h"

namespace gs {
namespace {

at::Tensor matrix(std::vector<double> values, int64_t columns) {
  return at::tensor(values, at::kDouble).view({-1, columns});
}

TEST(EffectiveRank, ByHand) {
  EXPECT_NEAR(effective_rank(at::eye(5, at::kDouble)), 5, 1e-12);
  EXPECT_NEAR(effective_rank(matrix({1, 2, 2, 4, -3, -6}, 2)), 1, 1e-6);
  EXPECT_EQ(effective_rank(at::zeros({3, 2}, at::kDouble)), 0);
  // Singular values 1 and sqrt(3).
  const double p = 1 / (1 + std::sqrt(3.0));
  EXPECT_NEAR(effective_rank(matrix({1, 0, 0, 1, 0, 1, 0, 1}, 2)),
              std::exp(-p * std::log(p) - (1 - p) * std::log(1 - p)), 1e-12);
  EXPECT_TRUE(std::isnan(effective_rank(matrix({1, NAN}, 2))));
}

// In float, the rounding of so many sums amounts to half a direction.
TEST(EffectiveRank, ACollapseOfManyWideRowsIsSeen) {
  const at::Tensor direction = test::random_tensor({1, 512}, 1, false).to(at::kFloat),
                   lengths = test::random_tensor({7650, 1}, 2, false).to(at::kFloat).abs() + 0.1;
  EXPECT_LT(effective_rank(lengths * direction), 1.01);
}

TEST(Spectrum, IsRelativeToItsLargestValue) {
  const Spectrum found = spectrum_of_rows(matrix({1, 0, 0, 1, 0, 1, 0, 1}, 2));
  ASSERT_EQ(found.values.size(), 2);
  EXPECT_EQ(found.values[0], 1);
  EXPECT_NEAR(found.values[1], 1 / std::sqrt(3.0), 1e-12);
}

TEST(Spectrum, OfManyRowsIsThatOfSomeEvenlySpaced) {
  // Every second row of 40,000 points elsewhere: they are not among the 20,000 that are read.
  at::Tensor z = at::zeros({40000, 2});
  z.slice(0, 0, 40000, 2).select(1, 0).fill_(1);
  z.slice(0, 1, 40000, 2).select(1, 1).fill_(1);
  EXPECT_NEAR(effective_rank(z), 1, 1e-9);
}

}  // namespace
}  // namespace gs
