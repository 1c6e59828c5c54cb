#include <gtest/gtest.h>

#include <cmath>

#include "support/conv_by_hand.h"

namespace gs {
namespace {

double softmax_mean(std::initializer_list<std::pair<double, double>> scores_and_messages) {
  double total = 0, sum = 0;
  for (const auto& [score, message] : scores_and_messages) {
    const double power = std::exp(score > 0 ? score : 0.2 * score);
    total += power, sum += power * message;
  }
  return sum / total;
}

// Messages x . (1, 2) are 1, 2, 6; z_ij = -h_i + h_j / 2.
TEST(GatConv, ByHand) {
  const auto z = test::conv_by_hand(
      "gat", {{"lin.weight", {1, 2}}, {"bias", {10}}, {"att_src", {.5}}, {"att_dst", {-1}}});
  EXPECT_NEAR(z[0], 10 + softmax_mean({{-.5, 1}, {0, 2}}), 1e-12);
  EXPECT_NEAR(z[1], 10 + softmax_mean({{-1.5, 1}, {-1, 2}, {1, 6}}), 1e-12);
  EXPECT_NEAR(z[2], 10 + softmax_mean({{-5, 2}, {-3, 6}}), 1e-12);
}

TEST(GatConv, WithoutScoresItIsTheMeanOverNeighborsAndItself) {
  const auto z = test::conv_by_hand(
      "gat", {{"lin.weight", {1, 2}}, {"bias", {0}}, {"att_src", {0}}, {"att_dst", {0}}});
  EXPECT_NEAR(z[0], 1.5, 1e-12);
  EXPECT_NEAR(z[1], 3, 1e-12);
  EXPECT_NEAR(z[2], 4, 1e-12);
}

TEST(GatConv, WeightsStartAsPyGsDo) {
  const auto weights = test::starting_weights("gat");
  EXPECT_NEAR(weights.at("conv.lin.weight"), std::sqrt(6.0 / 150), 1e-3);
  EXPECT_EQ(weights.at("conv.bias"), 0);
  EXPECT_LE(weights.at("conv.att_src"), std::sqrt(6.0 / 51));
  EXPECT_LE(weights.at("conv.att_dst"), std::sqrt(6.0 / 51));
}

}  // namespace
}  // namespace gs
