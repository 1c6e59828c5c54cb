#include <gtest/gtest.h>

#include "support/conv_by_hand.h"

namespace gs {
namespace {

// Messages x . (1, 2) are 1, 2, 6; roots x . (-1, 3) are -1, 3, 4.
TEST(SageConv, ByHand) {
  const auto z = test::conv_by_hand(
      "sage", {{"lin_l.weight", {1, 2}}, {"lin_l.bias", {10}}, {"lin_r.weight", {-1, 3}}});
  EXPECT_NEAR(z[0], 10 + 2 - 1, 1e-12);
  EXPECT_NEAR(z[1], 10 + (1 + 6) / 2. + 3, 1e-12);
  EXPECT_NEAR(z[2], 10 + 2 + 4, 1e-12);
}

TEST(SageConv, WeightsStartAsPyGsDo) {
  const auto weights = test::starting_weights("sage");
  EXPECT_NEAR(weights.at("conv.lin_l.weight"), 0.1, 1e-3);
  EXPECT_NEAR(weights.at("conv.lin_r.weight"), 0.1, 1e-3);
  EXPECT_NEAR(weights.at("conv.lin_l.bias"), 0.1, 1e-2);
}

}  // namespace
}  // namespace gs
