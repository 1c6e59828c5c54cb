#include <gtest/gtest.h>

#include <cmath>

#include "support/conv_by_hand.h"

namespace gs {
namespace {

// Degrees with loops are 2, 3, 2; messages x . (1, 2) are 1, 2, 6.
TEST(GcnConv, ByHand) {
  const auto z = test::conv_by_hand("gcn", {{"lin.weight", {1, 2}}, {"bias", {10}}});
  EXPECT_NEAR(z[0], 10 + 1 / 2. + 2 / std::sqrt(6.), 1e-12);
  EXPECT_NEAR(z[1], 10 + 1 / std::sqrt(6.) + 2 / 3. + 6 / std::sqrt(6.), 1e-12);
  EXPECT_NEAR(z[2], 10 + 2 / std::sqrt(6.) + 6 / 2., 1e-12);
}

TEST(GcnConv, WeightsStartAsPyGsDo) {
  const auto weights = test::starting_weights("gcn");
  EXPECT_NEAR(weights.at("conv.lin.weight"), std::sqrt(6.0 / 150), 1e-3);
  EXPECT_EQ(weights.at("conv.bias"), 0);
}

}  // namespace
}  // namespace gs
