#include "eval/logistic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "eval/lbfgs.h"
#include "support/sparse_input.h"

namespace gs::test {
namespace {

constexpr int64_t kNodes = 9, kWidth = 4, kClasses = 3;
const std::vector<int32_t> kFive = {0, 2, 3, 7, 8}, kTwo = {1, 4};

at::Tensor random_tensor(at::IntArrayRef shape, uint64_t seed, at::ScalarType type = at::kDouble) {
  at::Tensor out = at::empty(shape, at::kDouble);
  Random random(seed);
  for (int64_t i = 0; i < out.numel(); ++i) out.data_ptr<double>()[i] = random.normal();
  return out.to(type);
}

Labels single_labels() {
  return {.task = Task::multiclass,
          .classes = kClasses,
          .single = std::vector<int32_t>{0, 1, 2, 0, 1, 2, 0, 1, 2},
          .multi = {}};
}

Labels multi_labels() {
  Random random(5);
  std::vector<uint8_t> bits(kNodes * kClasses);
  for (uint8_t& bit : bits) bit = static_cast<uint8_t>(random.below(2));
  return {.task = Task::multilabel, .classes = kClasses, .single = {}, .multi = std::move(bits)};
}

// The losses of the problems as libtorch computes them, one after another, recorded for autograd.
at::Tensor plain_loss(const at::Tensor& x, const Labels& labels, std::span<const int32_t> nodes,
                      const at::Tensor& w, const at::Tensor& b) {
  std::vector<int64_t> rows(nodes.begin(), nodes.end());
  const at::Tensor scores = at::mm(x.index_select(0, at::tensor(rows)), w) + b;
  if (labels.task == Task::multilabel) {
    const at::Tensor truth =
        at::tensor(std::vector<int64_t>(labels.multi.begin(), labels.multi.end()));
    return at::binary_cross_entropy_with_logits(
        scores,
        truth.view({kNodes, kClasses}).index_select(0, at::tensor(rows)).to(scores.scalar_type()));
  }
  const at::Tensor truth =
      at::tensor(std::vector<int64_t>(labels.single.begin(), labels.single.end()));
  return at::cross_entropy_loss(scores, truth.index_select(0, at::tensor(rows)));
}

// Every third entry 0, so that the sparse form differs from a dense one.
at::Tensor features() {
  at::Tensor x = random_tensor({kNodes, kWidth}, 1);
  x.view({-1}).slice(0, 0, kNodes * kWidth, 3).zero_();
  return x;
}

void expect_autograds_gradient(const Input& x, const Labels& labels) {
  const at::Tensor dense = features();
  LinearWeights weights = LinearWeights::zeros(x, 2, kClasses, at::kDouble),
                gradient = weights.problem(0);
  gradient = LinearWeights::zeros(x, 2, kClasses, at::kDouble);
  weights.w.copy_(random_tensor({2, kWidth * kClasses}, 2));
  weights.b.copy_(random_tensor({2, kClasses}, 3));
  LogisticBatch batch(x, labels, {kFive, kTwo}, at::kDouble);  // the second one is padded
  for (int repeat = 0; repeat < 2; ++repeat) {                 // the second time on used buffers
    const at::Tensor losses = batch.gradient(weights, gradient, true);
    for (int64_t r = 0; r < 2; ++r) {
      const at::Tensor w = weights.matrices(x)[r].clone().requires_grad_(),
                       b = weights.b[r].clone().requires_grad_();
      const at::Tensor loss = plain_loss(dense, labels, r == 0 ? kFive : kTwo, w, b);
      loss.backward();
      EXPECT_NEAR(losses[r].item<double>(), loss.item<double>(), 1e-12);
      EXPECT_TRUE(at::allclose(gradient.matrices(x)[r], w.grad(), 1e-10, 1e-12)) << r;
      EXPECT_TRUE(at::allclose(gradient.b[r], b.grad(), 1e-10, 1e-12)) << r;
    }
  }
}

TEST(LogisticBatch, HasAutogradsGradientForSingleLabels) {
  expect_autograds_gradient(features(), single_labels());
}
TEST(LogisticBatch, HasAutogradsGradientForMultiLabels) {
  expect_autograds_gradient(features(), multi_labels());
}
TEST(LogisticBatch, HasAutogradsGradientOnSparseRows) {
  expect_autograds_gradient(test::sparse_of(features()), single_labels());
}
TEST(LogisticBatch, HasAutogradsGradientOnSparseRowsOfMultiLabels) {
  expect_autograds_gradient(test::sparse_of(features()), multi_labels());
}

// Logistic regression with a penalty, where the optimum is known by its zero gradient and Adam
// comes only near.
TEST(LogisticBatch, IsMinimisedByLbfgsBelowAdam) {
  const at::Tensor x = features();
  const Input input(x);
  LogisticBatch batch(input, single_labels(), {kFive}, at::kDouble);
  constexpr double kPenalty = 1e-3;
  const auto objective = [&](const at::Tensor& flat) {
    LinearWeights weights{flat.slice(0, 0, kWidth * kClasses).unsqueeze(0),
                          flat.slice(0, kWidth * kClasses).unsqueeze(0)};
    LinearWeights gradient = LinearWeights::zeros(input, 1, kClasses, at::kDouble);
    const double loss = batch.gradient(weights, gradient, true).item<double>();
    return Evaluation{loss + kPenalty / 2 * at::dot(flat, flat).item<double>(),
                      at::cat({gradient.w[0], gradient.b[0]}) + kPenalty * flat};
  };
  const at::Tensor start = at::zeros({(kWidth + 1) * kClasses}, at::kDouble);
  const Minimum found = minimize(objective, start);
  ASSERT_TRUE(found.converged);

  at::Tensor flat = start.clone(), first = at::zeros_like(flat), second = at::zeros_like(flat);
  for (int step = 1; step <= 500; ++step) {
    const at::Tensor g = objective(flat).gradient;
    first.mul_(0.9).add_(g, 0.1);
    second.mul_(0.999).addcmul_(g, g, 0.001);
    flat.sub_(0.01 / (1 - std::pow(0.9, step)) * first /
              ((second / (1 - std::pow(0.999, step))).sqrt() + 1e-8));
  }
  EXPECT_LT(found.value, objective(flat).value - 1e-3);

  // Strong convexity bounds the distance to the optimum by the gradient over the penalty.
  EXPECT_LT(found.gradient_norm / kPenalty, 1e-4);
  const Minimum again = minimize(objective, random_tensor(start.sizes(), 9));
  EXPECT_LT((again.x - found.x).abs().max().item<double>(), 1e-4);
  EXPECT_NEAR(again.value, found.value, 1e-12);
}

}  // namespace
}  // namespace gs::test
