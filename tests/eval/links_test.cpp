#include "eval/links.h"

#include <gtest/gtest.h>

namespace gs {
namespace {

using Floats = std::vector<float>;

TEST(LinkScore, WorkedByHand) {
  // In order: + - + + -
  const LinkScore s = score_links(Floats{0.9f, 0.7f, 0.6f}, Floats{0.8f, 0.1f});
  EXPECT_NEAR(s.auc, 100 * 4.0 / 6, 1e-9);
  EXPECT_NEAR(s.average_precision, 100 * (1.0 + 2.0 / 3 + 3.0 / 4) / 3, 1e-9);
  EXPECT_DOUBLE_EQ(s.hits_10, 100);  // there are fewer negatives
}

TEST(LinkScore, TiesComeInTogether) {
  const LinkScore s = score_links(Floats{1, 1}, Floats{1, 1});
  EXPECT_DOUBLE_EQ(s.auc, 50);
  EXPECT_DOUBLE_EQ(s.average_precision, 50);
}

TEST(LinkScore, HitsCountWhatIsAboveTheKthNegative) {
  Floats negative;
  for (int i = 0; i < 100; ++i) negative.push_back(static_cast<float>(i));
  const LinkScore s = score_links(Floats{90.5f, 90, 51, -1}, negative);
  EXPECT_DOUBLE_EQ(s.hits_10, 25);   // the tenth best is 90
  EXPECT_DOUBLE_EQ(s.hits_50, 75);   // the fiftieth is 50
  EXPECT_DOUBLE_EQ(s.hits_100, 75);  // the hundredth is 0
}

TEST(MeanReciprocalRank, WorkedByHand) {
  EXPECT_DOUBLE_EQ(mean_reciprocal_rank(Floats{3, 1}, Floats{1, 2, 2, 1}), (1 + 1 / 2.5) / 2);
}

TEST(LinkText, HasOneRowPerScoreAndOneColumnPerScorer) {
  LinkResult result;
  result.share = 0.1;
  result.encoders = {{.seed = 0, .held_out = 40, .dot = {.auc = 60}, .logistic = {.auc = 70}},
                     {.seed = 1, .held_out = 40, .dot = {.auc = 64}, .logistic = {.auc = 80}}};
  EXPECT_TRUE(result.to_text().starts_with(
      "40 held-out edges (10 % of all) and as many pairs without one; 2 trainings, percent\n\n"
      "                         dot product      logistic\n"
      "  AUC                     62.00 +- 2.00    75.00 +- 5.00\n"));
}

}  // namespace
}  // namespace gs
