#include "eval/logistic_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/probing.h"
#include "support/sparse_input.h"

namespace gs::test {
namespace {

std::vector<int32_t> first_nodes(int32_t count) {
  std::vector<int32_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

at::Tensor unit(const at::Tensor& z) { return z / z.norm(2, {1}, true); }

// The gradient of the sum of losses + |W|^2 / (2 C) at the weights found.
double gradient_at_the_end(const at::Tensor& z, const Labels& labels, int32_t count, double c) {
  const auto nodes = first_nodes(count);
  const Input x(z);
  const LinearWeights found = LogisticPath(x, labels, nodes).fit(c);
  const at::Tensor rows = unit(z.slice(0, 0, count)).to(at::kDouble);
  const at::Tensor w = found.matrices(x)[0].to(at::kDouble);
  at::Tensor error = at::softmax(at::mm(rows, w) + found.b[0], 1);
  for (int32_t i = 0; i < count; ++i) error[i][labels.single[i]] -= 1;
  return std::max((at::mm(rows.t(), error) + w / c).abs().max().item<double>(),
                  error.sum({0}).abs().max().item<double>());
}

TEST(LogisticPath, EndsWhereTheGradientVanishes) {
  const auto ids = cyclic(400, 4);
  const at::Tensor z = embedding(ids, 30, 1.5, 1);
  for (const double c : {0.1, 1.0, 100.0})
    EXPECT_LT(gradient_at_the_end(z, single_labels(ids, 4), 200, c), 0.05) << c;
  // More columns than rows.
  EXPECT_LT(gradient_at_the_end(z, single_labels(ids, 4), 20, 10), 0.02);
}

// Two points on the axes at length 1, one per class: by symmetry the weights are (t, -t) and
// (-t, t), with t = C (1 - 1 / (1 + exp(-2 t))).
TEST(LogisticPath, SolvesTwoPointsByHand) {
  const at::Tensor z = at::tensor(std::vector<float>{5, 0, 0, 0.1f}).view({2, 2});
  const Labels labels = single_labels({0, 1}, 2);
  const Input x(z);
  const LinearWeights found = LogisticPath(x, labels, first_nodes(2)).fit(1);
  double t = 0.3;
  for (int i = 0; i < 100; ++i) t = 1 - 1 / (1 + std::exp(-2 * t));
  const at::Tensor w = found.matrices(x)[0];
  EXPECT_NEAR(w[0][0].item<double>(), t, 1e-3);
  EXPECT_NEAR(w[1][0].item<double>(), -t, 1e-3);
  EXPECT_NEAR(w[0][1].item<double>(), -t, 1e-3);
  EXPECT_NEAR(found.b[0][0].item<double>(), 0, 1e-3);
}

TEST(LogisticPath, ARotationOfTheRowsChangesNothing) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 10, 2, 1);
  const at::Tensor turned = at::mm(z, std::get<0>(at::linalg_qr(noise(10, 10, 9))));
  const Labels labels = single_labels(ids, 3);
  const auto scores = [&](const at::Tensor& rows) {
    const Input x(rows);
    const LinearWeights found = LogisticPath(x, labels, first_nodes(100)).fit(10);
    return at::mm(unit(rows), found.matrices(x)[0]) + found.b[0];
  };
  EXPECT_LT((scores(z) - scores(turned)).abs().max().item<double>(), 0.02);
}

TEST(LogisticPath, SparseRowsAreTheDenseOnes) {
  const auto ids = cyclic(200, 3);
  const at::Tensor z = embedding(ids, 12, 2, 1).relu() + 0.0f;
  const Labels labels = single_labels(ids, 3);
  const Input dense(z), sparse = sparse_of(z);
  for (const int32_t count : {8, 150}) {
    const LinearWeights a = LogisticPath(dense, labels, first_nodes(count)).fit(1);
    const LinearWeights b = LogisticPath(sparse, labels, first_nodes(count)).fit(1);
    EXPECT_LT((a.matrices(dense) - b.matrices(sparse)).abs().max().item<double>(), 1e-2);
  }
}

TEST(LogisticPath, StartsWhereTheLastFitEnded) {
  const auto ids = cyclic(300, 3);
  const at::Tensor z = embedding(ids, 20, 1, 1);
  const Input x(z);
  LogisticPath path(x, single_labels(ids, 3), first_nodes(150));
  path.fit(1);
  EXPECT_GT(path.iterations(), 0);
  path.fit(1);
  EXPECT_LE(path.iterations(), 1);
}

}  // namespace
}  // namespace gs::test
