#include "eval/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace gs::test {
namespace {

using Ids = std::vector<int32_t>;
using Truth = std::vector<uint8_t>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

ScoreTable table(const std::vector<float>& values, int64_t classes) {
  const int64_t nodes = static_cast<int64_t>(values.size()) / classes;
  return {values.data(), classes, nodes, nodes};
}

TEST(Predict, TakesTheHighestAndTheFirstOfEquals) {
  // nodes:                           0  1  2  3
  const std::vector<float> scores = {1, 2, 5, 0,   // class 0
                                     3, 2, 5, 0,   // class 1
                                     2, 9, 4, 0};  // class 2
  Ids predicted(4);
  predict(table(scores, 3), predicted);
  EXPECT_EQ(predicted, (Ids{1, 2, 0, 0}));
}

TEST(Predict, SaysNothingWhereNoScoreIsANumber) {
  const std::vector<float> scores = {kNan, kNan, kInfinity, kNan, -1, 0};
  Ids predicted(3);
  predict(table(scores, 2), predicted);
  EXPECT_EQ(predicted, (Ids{-1, 1, 0}));
}

TEST(Predict, ReadsPaddedTablesOfManyNodes) {
  constexpr int64_t kNodes = 1300, kStride = 1307;
  std::vector<float> scores(2 * kStride, 100);
  for (int64_t i = 0; i < kNodes; ++i)
    scores[i] = 0.5, scores[kStride + i] = static_cast<float>(i % 2);
  Ids predicted(kNodes);
  predict({scores.data(), 2, kNodes, kStride}, predicted);
  for (int64_t i = 0; i < kNodes; ++i) EXPECT_EQ(predicted[i], i % 2) << i;
}

TEST(Positive, TurnsClassMajorScoresIntoARowANode) {
  const float scores[] = {1, -1, 0, 9, -2, 3, std::nanf(""),
                          9};  // two classes, three nodes, padded
  EXPECT_EQ(positive({scores, 2, 3, 4}), (std::vector<uint8_t>{1, 0, 0, 1, 0, 0}));
}

TEST(Accuracy, LeavesOutUnknownLabels) {
  EXPECT_DOUBLE_EQ(accuracy(Ids{0, 1, 2, 2, 1}, Ids{0, 1, 1, -1, -1}), 2.0 / 3);
  EXPECT_DOUBLE_EQ(accuracy(Ids{0}, Ids{-1}), 0);
}

TEST(F1, MatchesAHandCount) {
  // class 0: right 2, said 3, are 2 -> 4/5;  class 1: 1, 1, 2 -> 2/3;  class 2: 0, 1, 1 -> 0; class
  // 3 never occurs
  const F1 got = f1(Ids{0, 0, 1, 0, 2, 1}, Ids{0, 0, 1, 1, -1, -1}, 4);
  EXPECT_DOUBLE_EQ(got.micro, 0.75);
  EXPECT_DOUBLE_EQ(got.macro, (4.0 / 5 + 2.0 / 3) / 2);
  const F1 with_third = f1(Ids{0, 0, 1, 0, 2}, Ids{0, 0, 1, 2, 1}, 4);
  EXPECT_DOUBLE_EQ(with_third.micro, 0.6);
  EXPECT_DOUBLE_EQ(with_third.macro, (4.0 / 5 + 2.0 / 3 + 0) / 3);
}

TEST(F1, CountsAMissingPredictionAsAMiss) {
  const F1 got = f1(Ids{-1, 0}, Ids{0, 0}, 1);
  EXPECT_DOUBLE_EQ(got.macro, 2.0 / 3);  // precision 1, recall 1/2
  EXPECT_DOUBLE_EQ(got.micro, 2.0 / 3);
}

TEST(RocAuc, MatchesAHandCountWithTies) {
  // positives .9 .5 .5, negatives .5 .1: wins 1+1, .5+1, .5+1 of 6 pairs
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<float>{.9F, .5F, .5F, .5F, .1F}, Truth{1, 1, 0, 1, 0}),
                   5.0 / 6);
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<float>{1, 2, 3}, Truth{1, 0, 0}), 0);
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<float>{-1, -3, 2}, Truth{1, 0, 1}), 1);
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<float>{0.0F, -0.0F}, Truth{1, 0}), 0.5);
}

TEST(RocAuc, RanksWhatIsNotANumberLowest) {
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<float>{kNan, -kInfinity}, Truth{1, 0}), 0);
  EXPECT_DOUBLE_EQ(roc_auc(std::vector<float>{kNan, kNan}, Truth{1, 0}), 0.5);
}

TEST(RocAuc, MacroLeavesOutClassesOfOneKindAndUnknownNodes) {
  const std::vector<float> scores = {3, 2, 1, 9, 1, 2, 3, 9, 5, 6, 7, 9};
  const Truth truth = {1, 0,   0, 255, 1, 0,
                       1, 255, 0, 0,   0, 255};  // the third class has no positive
  EXPECT_DOUBLE_EQ(macro_auc(table(scores, 3), truth), (1 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(macro_auc(table(scores, 3), Truth(12, 0)), 0.5);
  EXPECT_DOUBLE_EQ(micro_auc(table(scores, 3), Truth(12, 0)), 0.5);
}

TEST(RocAuc, MicroRanksAllPairsTogether) {
  const std::vector<float> scores = {4, 1, 3, 2};  // positives 4 and 2, negatives 1 and 3
  EXPECT_DOUBLE_EQ(micro_auc(table(scores, 2), Truth{1, 0, 0, 1}), 3.0 / 4);
}

TEST(RocAuc, EqualsTheCountOfPairsOnLargeTables) {
  constexpr int64_t kClasses = 3, kNodes = 700;
  Random random(7);
  std::vector<float> scores(kClasses * kNodes);
  Truth truth(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i] = static_cast<float>(static_cast<int64_t>(random.below(400)) - 200) /
                64;  // many ties, both signs
    truth[i] = random.below(10) == 0 ? 255 : static_cast<uint8_t>(random.below(4) == 0);
  }
  const auto by_pairs = [&](size_t begin, size_t end) {
    double wins = 0, pairs = 0;
    for (size_t i = begin; i < end; ++i)
      for (size_t j = begin; j < end; ++j)
        if (truth[i] == 1 && truth[j] == 0) {
          ++pairs;
          wins += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
        }
    return wins / pairs;
  };
  double macro = 0;
  for (size_t c = 0; c < kClasses; ++c) macro += by_pairs(c * kNodes, (c + 1) * kNodes) / kClasses;
  EXPECT_NEAR(macro_auc(table(scores, kClasses), truth), macro, 1e-12);
  EXPECT_NEAR(micro_auc(table(scores, kClasses), truth), by_pairs(0, scores.size()), 1e-12);
}

}  // namespace
}  // namespace gs::test
