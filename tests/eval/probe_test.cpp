#include "eval/probe.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "base/parallel.h"
#include "base/random.h"
#include "support/files.h"
#include "support/sparse_input.h"

namespace gs::test {
namespace {

Labels single_labels(std::vector<int32_t> ids, int64_t classes) {
  return {.task = Task::multiclass, .classes = classes, .single = std::move(ids), .multi = {}};
}

std::vector<int32_t> cyclic(int64_t nodes, int64_t classes) {
  std::vector<int32_t> ids(static_cast<size_t>(nodes));
  for (int64_t i = 0; i < nodes; ++i)
    ids[static_cast<size_t>(i)] = static_cast<int32_t>(i % classes);
  return ids;
}

at::Tensor noise(int64_t rows, int64_t columns, uint64_t seed) {
  at::Tensor out = at::empty({rows, columns}, at::kFloat);
  Random random(seed);
  for (int64_t i = 0; i < out.numel(); ++i)
    out.data_ptr<float>()[i] = static_cast<float>(random.normal());
  return out;
}

// Class c is a bump in column c; `signal` 0 leaves noise only.
at::Tensor embedding(const std::vector<int32_t>& ids, int64_t columns, double signal,
                     uint64_t seed) {
  at::Tensor z = noise(static_cast<int64_t>(ids.size()), columns, seed);
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] >= 0)
      z.data_ptr<float>()[static_cast<int64_t>(i) * columns + ids[i]] += static_cast<float>(signal);
  return z;
}

// A shuffled cut of the nodes into train, validation and the rest.
Split cut(int64_t nodes, int64_t train, int64_t val, uint64_t seed) {
  std::vector<int32_t> order(static_cast<size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  Random(seed).shuffle(std::span<int32_t>(order));
  Split split{{order.begin(), order.begin() + train},
              {order.begin() + train, order.begin() + train + val},
              {order.begin() + train + val, order.end()}};
  for (auto* set : {&split.train, &split.val, &split.test}) std::sort(set->begin(), set->end());
  return split;
}

void expect_same(const ProbeScore& a, const ProbeScore& b) {
  EXPECT_EQ(a.validation, b.validation);
  EXPECT_EQ(a.test, b.test);
  EXPECT_EQ(a.macro_f1, b.macro_f1);
  EXPECT_EQ(a.micro_f1, b.micro_f1);
  EXPECT_EQ(a.micro_auc, b.micro_auc);
  EXPECT_EQ(a.best_step, b.best_step);
}

ProbeOptions with(Solver solver, int64_t epochs = 200) {
  ProbeOptions options;
  options.solver = solver;
  options.probe_epochs = epochs;
  return options;
}

class BothSolvers : public testing::TestWithParam<Solver> {};
INSTANTIATE_TEST_SUITE_P(Probe, BothSolvers, testing::Values(Solver::adam, Solver::lbfgs),
                         [](const auto& info) {
                           return info.param == Solver::adam ? "adam" : "lbfgs";
                         });

TEST_P(BothSolvers, ReadPlantedLabelsPerfectly) {
  const auto ids = cyclic(300, 4);
  const Score score = linear_probe(embedding(ids, 8, 200, 1) / 100, single_labels(ids, 4),
                                   {cut(300, 60, 60, 1), cut(300, 60, 60, 2)}, with(GetParam()), 0);
  EXPECT_EQ(score.metric, "accuracy");
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

TEST_P(BothSolvers, FindNothingInShuffledLabels) {
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
TEST_P(BothSolvers, KeepValidationAndTestApart) {
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

TEST_P(BothSolvers, GiveTheSameResultAgain) {
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

TEST_P(BothSolvers, LetNoSplitLeakIntoAnother) {
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

TEST_P(BothSolvers, NeverUseUnlabeledNodes) {
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

TEST_P(BothSolvers, ScoreSparseRowsAsDenseOnes) {
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

TEST(Probe, DoesTheSameOnOneThread) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 6, 1, 1);
  std::vector<Split> splits;
  for (uint64_t r = 0; r < 5; ++r) splits.push_back(cut(300, 60, 60, r));
  const Score many = linear_probe(z, single_labels(ids, 3), splits, with(Solver::adam), 0);
  const ThreadScope scope(1);
  const Score one = linear_probe(z, single_labels(ids, 3), splits, with(Solver::adam), 0);
  for (size_t r = 0; r < splits.size(); ++r) expect_same(many.splits[r], one.splits[r]);
}

TEST(Probe, DoesTheSameInTwoThreadsAtOnce) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 6, 1, 1);
  std::vector<Split> splits;
  for (uint64_t r = 0; r < 5; ++r) splits.push_back(cut(300, 60, 60, r));
  const auto probe = [&](uint64_t seed) {
    const ThreadScope scope(2);
    return linear_probe(z, single_labels(ids, 3), splits, with(Solver::adam), seed);
  };
  const Score alone[] = {probe(0), probe(1)};
  Score beside[2];
  std::thread first([&] { beside[0] = probe(0); }), second([&] { beside[1] = probe(1); });
  first.join(), second.join();
  for (size_t seed = 0; seed < 2; ++seed)
    for (size_t r = 0; r < splits.size(); ++r)
      expect_same(alone[seed].splits[r], beside[seed].splits[r]);
}

// The peer's rules in plain libtorch, from our starting weights: every score of every split must be
// the same.
TEST(Probe, FollowsAdamOnCrossEntropyStepByStep) {
  constexpr int64_t kNodes = 120, kWidth = 5, kClasses = 3;
  const auto ids = cyclic(kNodes, kClasses);
  const at::Tensor z = embedding(ids, kWidth, 1, 1);
  const std::vector<Split> splits = {cut(kNodes, 30, 30, 1), cut(kNodes, 24, 30, 2)};
  const ProbeOptions options = with(Solver::adam, 60);
  const Score score = linear_probe(z, single_labels(ids, kClasses), splits, options, 11);

  const at::Tensor truth = at::tensor(std::vector<int64_t>(ids.begin(), ids.end()));
  const auto rows = [](const std::vector<int32_t>& nodes) {
    return at::tensor(std::vector<int64_t>(nodes.begin(), nodes.end()));
  };
  for (int64_t r = 0; r < 2; ++r) {
    const Split& split = splits[static_cast<size_t>(r)];
    at::Tensor w = at::empty({kClasses, kWidth}, at::kFloat);
    Random random = Random(11).fork("probe", r);
    for (int64_t i = 0; i < w.numel(); ++i)
      w.data_ptr<float>()[i] =
          static_cast<float>(std::sqrt(6.0 / (kWidth + kClasses)) * (2 * random.uniform() - 1));
    at::Tensor b = at::zeros({kClasses}, at::kFloat);
    std::vector<at::Tensor> weights = {w, b}, first, second;
    for (at::Tensor& p : weights) {
      p.requires_grad_();
      first.push_back(at::zeros_like(p));
      second.push_back(at::zeros_like(p));
    }
    double best = 0, test = 0;
    int64_t best_step = 0;
    for (int step = 1; step <= 60; ++step) {
      at::cross_entropy_loss(z.index_select(0, rows(split.train)).mm(w.t()) + b,
                             truth.index_select(0, rows(split.train)))
          .backward();
      const at::NoGradGuard no_gradient;
      for (size_t i = 0; i < 2; ++i) {
        first[i].mul_(0.9).add_(weights[i].grad(), 0.1);
        second[i].mul_(0.999).addcmul_(weights[i].grad(), weights[i].grad(), 0.001);
        weights[i].sub_(0.01 / (1 - std::pow(0.9, step)) * first[i] /
                        ((second[i] / (1 - std::pow(0.999, step))).sqrt() + 1e-8));
        weights[i].mutable_grad().reset();
      }
      if (step % 5 != 0) continue;
      const at::Tensor right = (z.mm(w.t()) + b).argmax(1).eq(truth).to(at::kDouble);
      const double val = right.index_select(0, rows(split.val)).mean().item<double>();
      if (val > best) {
        best = val, best_step = step;
        test = right.index_select(0, rows(split.test)).mean().item<double>();
      }
    }
    EXPECT_NEAR(score.splits[static_cast<size_t>(r)].validation, 100 * best, 1e-9);
    EXPECT_NEAR(score.splits[static_cast<size_t>(r)].test, 100 * test, 1e-9);
    EXPECT_EQ(score.splits[static_cast<size_t>(r)].best_step, best_step);
  }
}

TEST(Probe, PadsUnequalSplitsWithoutEffect) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 6, 1, 1);
  const std::vector<Split> splits = {cut(300, 20, 90, 1), cut(300, 90, 20, 2), cut(300, 51, 33, 3)};
  const ProbeOptions options = with(Solver::adam);
  const Score together = linear_probe(z, single_labels(ids, 3), splits, options, 0);
  for (size_t r = 0; r < splits.size(); ++r) {
    // Split r has the same random weights, among equals.
    const std::vector<Split> same(r + 1, splits[r]);
    expect_same(together.splits[r],
                linear_probe(z, single_labels(ids, 3), same, options, 0).splits[r]);
  }
}

// With a learning rate of 0 the scores are those of the starting weights. The splits are too many
// for one batch.
TEST(Probe, StartsEachSplitFromItsOwnXavierWeights) {
  constexpr int64_t kNodes = 200, kWidth = 300, kClasses = 3;
  const auto ids = cyclic(kNodes, kClasses);
  const at::Tensor z = noise(kNodes, kWidth, 1);
  std::vector<Split> splits;
  for (uint64_t r = 0; r < 30; ++r) splits.push_back(cut(kNodes, 80, 60, r));
  ProbeOptions options = with(Solver::adam, 1);
  options.probe_lr = 0;
  const Score score = linear_probe(z, single_labels(ids, kClasses), splits, options, 5);
  for (size_t r = 0; r < splits.size(); ++r) {
    at::Tensor w = at::empty({kClasses, kWidth}, at::kFloat);
    Random random = Random(5).fork("probe", static_cast<int64_t>(r));
    for (int64_t i = 0; i < w.numel(); ++i)
      w.data_ptr<float>()[i] =
          static_cast<float>(std::sqrt(6.0 / (kWidth + kClasses)) * (2 * random.uniform() - 1));
    const at::Tensor predicted = z.mm(w.t()).argmax(1);
    double right = 0;
    for (const int32_t node : splits[r].test)
      right += predicted[node].item<int64_t>() == ids[static_cast<size_t>(node)];
    EXPECT_NEAR(score.splits[r].test, 100 * right / 60, 1e-9) << r;
  }
}

TEST(Probe, ScoresTheLastStepToo) {
  const auto ids = cyclic(60, 2);
  ProbeOptions options = with(Solver::adam, 3);
  const Score score = linear_probe(embedding(ids, 4, 30, 1), single_labels(ids, 2),
                                   {cut(60, 20, 20, 1)}, options, 0);
  EXPECT_EQ(score.splits[0].best_step, 3);
}

TEST(Probe, KeepsTheFirstOfEqualScores) {
  const auto ids = cyclic(100, 2);
  ProbeOptions options = with(Solver::adam, 100);
  options.probe_lr = 0;  // nothing moves: every score equals the first
  const Score score = linear_probe(embedding(ids, 4, 1, 1), single_labels(ids, 2),
                                   {cut(100, 30, 30, 1)}, options, 0);
  EXPECT_EQ(score.splits[0].best_step, options.probe_every);
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
      linear_probe(z, labels, {{{0, 1, 2, 3}, {2, 3}, {4, 5}}}, with(Solver::lbfgs), 0);
  EXPECT_EQ(score.metric, "roc_auc");
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
  const auto probe = [&](const std::vector<uint8_t>& bits, const Input& x, Solver solver) {
    return linear_probe(
        x, {.task = Task::multilabel, .classes = kClasses, .single = {}, .multi = bits}, splits,
        with(solver), 0);
  };
  for (const Solver solver : {Solver::adam, Solver::lbfgs}) {
    const Score good = probe(readable, z, solver), bad = probe(shuffled, z, solver);
    for (const ProbeScore& split : good.splits) {
      EXPECT_GT(split.test, 95);
      EXPECT_GT(split.micro_auc, 95);
    }
    // Deviation of one class's AUC by chance: sqrt((P + Q + 1) / (12 P Q)) with 150 of each, over
    // five classes.
    for (const ProbeScore& split : bad.splits)
      EXPECT_NEAR(split.test, 50, 3 * 100 * std::sqrt(301 / (12.0 * 150 * 150) / 5));
    EXPECT_NEAR(probe(readable, test::sparse_of(z), solver).splits[0].test, good.splits[0].test,
                0.1);
  }
}

TEST(Probe, PrefersTheStrongestOfEqualPenalties) {
  const auto ids = cyclic(120, 2);
  const at::Tensor z =
      embedding(ids, 4, 50, 1);  // every penalty separates: the first, strongest fit is kept
  const Score at_scale =
      linear_probe(z, single_labels(ids, 2), {cut(120, 40, 40, 1)}, with(Solver::lbfgs), 0);
  EXPECT_EQ(at_scale.splits[0].validation, 100);
  EXPECT_LE(at_scale.splits[0].best_step,
            20);  // a strong penalty is quickly fitted, the weakest is not
}

TEST(Probe, FitsToConvergenceAtAnyScale) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 6, 2, 1);
  const std::vector<Split> splits = {cut(300, 60, 90, 1)};
  const Score plain = linear_probe(z, single_labels(ids, 3), splits, with(Solver::lbfgs), 0);
  for (const double scale : {1e-3, 1e3}) {
    const Score scaled =
        linear_probe(z * scale, single_labels(ids, 3), splits, with(Solver::lbfgs), 0);
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
    for (const Solver solver : {Solver::adam, Solver::lbfgs}) {
      const ProbeScore split =
          linear_probe(z, single_labels(ids, 2), splits, with(solver), 0).splits[0];
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
    return [=] { linear_probe(x, y, {s}, {}, 0); };
  };
  expect_data_error(probe(z.slice(0, 0, 19), labels, split), "19 rows");
  expect_data_error(probe(z, Labels{}, split), "none to learn from");
  expect_data_error(probe(z, labels, {split.train, {}, split.test}), "no labeled validation nodes");
  expect_data_error(probe(z, labels, {split.train, split.val, {}}), "no labeled test nodes");
  EXPECT_NO_THROW(
      validation_scores(z, labels, {{split.train, split.val, {}}}, with(Solver::adam, 10), 0));
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
