#include "eval/probe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/files.h"
#include "support/probing.h"
#include "support/sparse_input.h"

namespace gs::test {
namespace {

class BothProbes : public testing::TestWithParam<Probe> {};
INSTANTIATE_TEST_SUITE_P(Probe, BothProbes, testing::Values(Probe::paper, Probe::logistic),
                         [](const auto& info) {
                           return std::string(name_of(names_of(info.param), info.param));
                         });

TEST_P(BothProbes, ReadPlantedLabelsPerfectly) {
  const auto ids = cyclic(300, 4);
  const Score score = linear_probe(embedding(ids, 8, 200, 1) / 100, single_labels(ids, 4),
                                   {cut(300, 60, 60, 1), cut(300, 60, 60, 2)}, with(GetParam()), 0);
  EXPECT_EQ(score.metric, Metric::accuracy);
  ASSERT_EQ(score.splits.size(), 2);
  for (const ProbeScore& split : score.splits) {
    EXPECT_EQ(split.test, 100);
    EXPECT_EQ(split.validation, 100);
    EXPECT_EQ(split.macro_f1, 100);
    EXPECT_EQ(split.micro_f1, 100);
  }
  EXPECT_EQ(score.spread().mean, 100);
  EXPECT_EQ(score.spread().deviation, 0);
}

TEST_P(BothProbes, FindNothingInShuffledLabels) {
  constexpr int64_t kNodes = 1500, kTest = 1000;
  auto ids = cyclic(kNodes, 4);
  const at::Tensor z = embedding(ids, 8, 20, 1);
  Random(3).shuffle(std::span<int32_t>(ids));
  const Score score =
      linear_probe(z, single_labels(ids, 4), {cut(kNodes, 250, 250, 1)}, with(GetParam()), 0);
  EXPECT_NEAR(score.spread().mean, 25, 3 * 100 * std::sqrt(0.25 * 0.75 / kTest));
}

// Validation nodes follow the training nodes' rule, test nodes its opposite: a swap of the two
// shows at once.
TEST_P(BothProbes, KeepValidationAndTestApart) {
  const auto truth = cyclic(200, 2);
  const at::Tensor z = embedding(truth, 4, 20, 1);
  const Split split = cut(200, 60, 60, 1);
  auto ids = truth;
  for (const int32_t node : split.test) ids[static_cast<size_t>(node)] ^= 1;
  const Labels labels = single_labels(ids, 2);
  const Score score = linear_probe(z, labels, {split}, with(GetParam()), 0);
  EXPECT_EQ(score.splits[0].validation, 100);
  EXPECT_EQ(score.splits[0].test, 0);
  EXPECT_EQ(validation_scores(z, labels, {split}, with(GetParam()), 0), std::vector<double>{100});
  const Split swapped{split.train, split.test, split.val};
  const Score other = linear_probe(z, labels, {swapped}, with(GetParam()), 0);
  EXPECT_LT(other.splits[0].validation, 100);
}

TEST_P(BothProbes, GiveTheSameResultAgain) {
  const auto ids = cyclic(200, 3);
  const at::Tensor z = embedding(ids, 6, 1, 1);
  const std::vector<Split> splits = {cut(200, 50, 50, 1), cut(200, 50, 50, 2), cut(200, 50, 50, 3)};
  const Score first = linear_probe(z, single_labels(ids, 3), splits, with(GetParam()), 7);
  const Score second = linear_probe(z, single_labels(ids, 3), splits, with(GetParam()), 7);
  for (size_t r = 0; r < splits.size(); ++r) expect_same(first.splits[r], second.splits[r]);
  const std::vector<double> validation =
      validation_scores(z, single_labels(ids, 3), splits, with(GetParam()), 7);
  for (size_t r = 0; r < splits.size(); ++r) EXPECT_EQ(validation[r], first.splits[r].validation);
}

TEST_P(BothProbes, LetNoSplitLeakIntoAnother) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 6, 1, 1);
  const Labels labels = single_labels(ids, 3);
  const Split easy = cut(300, 150, 50, 1), a = cut(300, 50, 50, 2), b = cut(300, 50, 50, 3);
  const auto probe = [&](const std::vector<Split>& splits) {
    return linear_probe(z, labels, splits, with(GetParam()), 0).splits;
  };
  const auto both = probe({a, b});
  expect_same(both[0], probe({a})[0]);
  expect_same(both[1], probe({b, b})[1]);
  expect_same(both[1], probe({easy, b})[1]);  // padded beside a larger split
}

TEST_P(BothProbes, NeverUseUnlabeledNodes) {
  const auto truth = cyclic(240, 3);
  auto ids = truth;
  Split clean, mixed = cut(240, 90, 60, 1);
  at::Tensor z = embedding(truth, 6, 1, 1);
  for (auto set : {&Split::train, &Split::val, &Split::test}) {
    for (const int32_t node : mixed.*set) {
      if (node % 5 == 0) {
        ids[static_cast<size_t>(node)] = -1;
        z[node].fill_(1e6);
      } else {
        (clean.*set).push_back(node);
      }
    }
  }
  const Labels labels = single_labels(ids, 3);
  expect_same(linear_probe(z, labels, {mixed}, with(GetParam()), 0).splits[0],
              linear_probe(z, labels, {clean}, with(GetParam()), 0).splits[0]);
}

TEST_P(BothProbes, ScoreSparseRowsAsDenseOnes) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 12, 2, 1);
  z.mul_(z.gt(0.7));
  const Labels labels = single_labels(ids, 3);
  const std::vector<Split> splits = {cut(300, 60, 60, 1), cut(300, 40, 60, 2)};
  const Score dense = linear_probe(z, labels, splits, with(GetParam()), 0);
  const Score sparse = linear_probe(test::sparse_of(z), labels, splits, with(GetParam()), 0);
  for (size_t r = 0; r < 2; ++r) {
    EXPECT_GT(dense.splits[r].test, 60);
    EXPECT_NEAR(sparse.splits[r].test, dense.splits[r].test,
                1.01 * 100 / 180);  // rounding may turn a node or two
    EXPECT_NEAR(sparse.splits[r].validation, dense.splits[r].validation, 1.01 * 100 / 60);
  }
}

// Six nodes in the plane; on the first four class 0 is the sign of x and class 1 that of y. The
// strongest penalty separates the validation nodes, so its fit is kept: weights along the sum of (y
// - 1/2) x, (5, 1) for class 0 and (1, 5) for class 1.
TEST(Probe, ScoresMultiLabelsByRocAuc) {
  const at::Tensor z =
      at::tensor(std::vector<float>{3, 3, -3, -3, 2, -2, -2, 2, 1, 4, -4, -1}, at::kFloat)
          .view({6, 2});
  const Labels labels{.task = Task::multilabel,
                      .classes = 2,
                      .single = {},
                      .multi = std::vector<uint8_t>{1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1}};
  const Score score =
      linear_probe(z, labels, {{{0, 1, 2, 3}, {2, 3}, {4, 5}}}, with(Probe::logistic), 0);
  EXPECT_EQ(score.metric, Metric::roc_auc);
  EXPECT_EQ(score.splits[0].validation, 100);
  // Node 4 scores 9 and 21, node 5 scores -21 and -9. Class 0 ranks its one positive, -21, below
  // its negative, 9; class 1 has no negative. Together, of the positives 21, -21 and -9 one is
  // above the only negative, 9.
  EXPECT_EQ(score.splits[0].test, 0);
  EXPECT_DOUBLE_EQ(score.splits[0].micro_auc, 100.0 / 3);
  EXPECT_EQ(score.splits[0].macro_f1, 0);
}

TEST(Probe, LearnsMultiLabelsAndFindsNothingInNoise) {
  constexpr int64_t kNodes = 600, kClasses = 5;
  const at::Tensor z = noise(kNodes, 8, 1);
  std::vector<uint8_t> readable, shuffled;
  Random random(2);
  for (int64_t i = 0; i < kNodes; ++i)
    for (int64_t c = 0; c < kClasses; ++c) {
      readable.push_back(z[i][c].item<float>() > 0);
      shuffled.push_back(static_cast<uint8_t>(random.below(2)));
    }
  const std::vector<Split> splits = {cut(kNodes, 200, 100, 1), cut(kNodes, 150, 100, 2)};
  const auto probe = [&](const std::vector<uint8_t>& bits, const Input& x, Probe kind) {
    return linear_probe(
        x, {.task = Task::multilabel, .classes = kClasses, .single = {}, .multi = bits}, splits,
        with(kind), 0);
  };
  for (const Probe kind : {Probe::paper, Probe::logistic}) {
    const Score good = probe(readable, z, kind), bad = probe(shuffled, z, kind);
    for (const ProbeScore& split : good.splits) {
      EXPECT_GT(split.test, 95);
      EXPECT_GT(split.micro_auc, 95);
    }
    // Deviation of one class's AUC by chance: sqrt((P + Q + 1) / (12 P Q)) with 150 of each, over
    // five classes.
    for (const ProbeScore& split : bad.splits)
      EXPECT_NEAR(split.test, 50, 3 * 100 * std::sqrt(301 / (12.0 * 150 * 150) / 5));
    EXPECT_NEAR(probe(readable, test::sparse_of(z), kind).splits[0].test, good.splits[0].test, 0.1);
  }
}

TEST(Probe, PrefersTheStrongestOfEqualPenalties) {
  const auto ids = cyclic(120, 2);
  const at::Tensor z =
      embedding(ids, 4, 50, 1);  // every penalty separates: the first, strongest fit is kept
  const Score at_scale =
      linear_probe(z, single_labels(ids, 2), {cut(120, 40, 40, 1)}, with(Probe::logistic), 0);
  EXPECT_EQ(at_scale.splits[0].validation, 100);
  EXPECT_LE(at_scale.splits[0].best_step,
            20);  // a strong penalty is quickly fitted, the weakest is not
}

TEST(Probe, FitsToConvergenceAtAnyScale) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 6, 2, 1);
  const std::vector<Split> splits = {cut(300, 60, 90, 1)};
  const Score plain = linear_probe(z, single_labels(ids, 3), splits, with(Probe::logistic), 0);
  for (const double scale : {1e-3, 1e3}) {
    const Score scaled =
        linear_probe(z * scale, single_labels(ids, 3), splits, with(Probe::logistic), 0);
    EXPECT_NEAR(scaled.spread().mean, plain.spread().mean, 1.01 * 100 / 150) << scale;
  }
  EXPECT_GT(plain.spread().mean, 75);
}

TEST(Probe, NeverBecomesNanOnColumnsOfVeryDifferentScale) {
  const auto ids = cyclic(200, 2);
  const std::vector<Split> splits = {cut(200, 60, 60, 1)};
  for (const double huge : {1e6, 1e20, 1e37}) {
    at::Tensor z = embedding(ids, 4, 20, 1);
    z.select(1, 3).mul_(huge);
    for (const Probe kind : {Probe::paper, Probe::logistic}) {
      const ProbeScore split =
          linear_probe(z, single_labels(ids, 2), splits, with(kind), 0).splits[0];
      EXPECT_TRUE(std::isfinite(split.test) && std::isfinite(split.validation)) << huge;
      EXPECT_GE(split.test, 0);
      EXPECT_TRUE(split.best_step > 0 || (split.test == 0 && split.validation == 0));
    }
  }
}

TEST(Probe, RefusesWhatItCannotUse) {
  const auto ids = cyclic(20, 2);
  const at::Tensor z = embedding(ids, 4, 1, 1);
  const Labels labels = single_labels(ids, 2);
  const Split split = cut(20, 6, 6, 1);
  const auto probe = [&](const at::Tensor& x, const Labels& y, const Split& s) {
    return [=] { linear_probe(x, y, {s}, with(Probe::logistic), 0); };
  };
  expect_data_error(probe(z.slice(0, 0, 19), labels, split), "19 rows");
  expect_data_error(probe(z, Labels{}, split), "none to learn from");
  expect_data_error(probe(z, labels, {split.train, {}, split.test}), "no labeled validation nodes");
  expect_data_error(probe(z, labels, {split.train, split.val, {}}), "no labeled test nodes");
  EXPECT_NO_THROW(
      validation_scores(z, labels, {{split.train, split.val, {}}}, with(Probe::paper, 10), 0));
  at::Tensor broken = z.clone();
  broken[3][1] = std::numeric_limits<float>::quiet_NaN();
  expect_data_error(probe(broken, labels, split), "NaN or infinite");
}

TEST(Score, HasNumpysMeanAndDeviation) {
  Score score;
  for (const double test : {80.0, 90.0, 100.0}) score.splits.push_back({.test = test});
  EXPECT_DOUBLE_EQ(score.spread().mean, 90);
  EXPECT_DOUBLE_EQ(score.spread().deviation, std::sqrt(200.0 / 3));
  EXPECT_EQ(Score{}.spread().mean, 0);
}

}  // namespace
}  // namespace gs::test
