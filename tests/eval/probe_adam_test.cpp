// The probe that Adam trains: its steps, its starting weights, and what must not change its scores.
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "base/parallel.h"
#include "support/probing.h"

namespace gs::test {
namespace {

TEST(Probe, DoesTheSameOnOneThread) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 6, 1, 1);
  std::vector<Split> splits;
  for (uint64_t r = 0; r < 5; ++r) splits.push_back(cut(300, 60, 60, r));
  const Score many = linear_probe(z, single_labels(ids, 3), splits, with(Probe::paper), 0);
  const ThreadScope scope(1);
  const Score one = linear_probe(z, single_labels(ids, 3), splits, with(Probe::paper), 0);
  for (size_t r = 0; r < splits.size(); ++r) expect_same(many.splits[r], one.splits[r]);
}

TEST(Probe, DoesTheSameInTwoThreadsAtOnce) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 6, 1, 1);
  std::vector<Split> splits;
  for (uint64_t r = 0; r < 5; ++r) splits.push_back(cut(300, 60, 60, r));
  const auto probe = [&](uint64_t seed) {
    const ThreadScope scope(2);
    return linear_probe(z, single_labels(ids, 3), splits, with(Probe::paper), seed);
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
  const ProbeOptions options = with(Probe::paper, 60);
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
  const ProbeOptions options = with(Probe::paper);
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
  ProbeOptions options = with(Probe::paper, 1);
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
  ProbeOptions options = with(Probe::paper, 3);
  const Score score = linear_probe(embedding(ids, 4, 30, 1), single_labels(ids, 2),
                                   {cut(60, 20, 20, 1)}, options, 0);
  EXPECT_EQ(score.splits[0].best_step, 3);
}

TEST(Probe, KeepsTheFirstOfEqualScores) {
  const auto ids = cyclic(100, 2);
  ProbeOptions options = with(Probe::paper, 100);
  options.probe_lr = 0;  // nothing moves: every score equals the first
  const Score score = linear_probe(embedding(ids, 4, 1, 1), single_labels(ids, 2),
                                   {cut(100, 30, 30, 1)}, options, 0);
  EXPECT_EQ(score.splits[0].best_step, options.probe_every);
}

}  // namespace
}  // namespace gs::test
