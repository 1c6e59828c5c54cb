#include "nn/singular.h"

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "nn/ops/native_sparse.h"
#include "nn/products.h"
#include "nn/shrinkage.h"
#include "support/probing.h"
#include "support/sparse_input.h"

namespace gs::test {
namespace {

Centered plain(const TallMatrix& matrix) {
  return {matrix, at::zeros({matrix.columns()}, at::kDouble),
          at::ones({matrix.columns()}, at::kDouble)};
}

// Columns of very different strength: the leading directions are well apart.
at::Tensor graded(int64_t rows, int64_t columns) {
  return noise(rows, columns, 1) * at::pow(0.8, at::arange(columns, at::kFloat));
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(Products, AreThoseOfBlas) {
  const at::Tensor a = noise(5000, 130, 1), b = noise(130, 7, 2), c = noise(5000, 9, 3);
  EXPECT_LT(largest_difference(product(a, b), at::mm(a, b)), 1e-4);
  EXPECT_LT(largest_difference(transposed_product(a, c), at::mm(a.t(), c)), 1e-3);
  at::Tensor out = at::ones({5000, 7});
  add_product(out, a, b);
  EXPECT_LT(largest_difference(out, at::mm(a, b) + 1), 1e-4);
  const at::Tensor gram =
      gram_matrix(5000, 130, [&](int64_t begin, int64_t end) { return a.slice(0, begin, end); });
  const at::Tensor exact = a.to(at::kDouble);
  EXPECT_LT(largest_difference(gram, at::mm(exact.t(), exact)), 1e-2);
  EXPECT_TRUE(at::equal(gram, gram.t()));
}

// (3, 0), (0, 2) and (0, 0): the directions are the axes, the values 3 and 2.
TEST(Singular, FindsTheAxesOfADiagonalMatrix) {
  const DenseTall matrix(at::tensor(std::vector<float>{3, 0, 0, 2, 0, 0}).view({3, 2}));
  for (const Directions& found :
       {exact_directions(plain(matrix), 2), iterated_directions(plain(matrix), 2, Random(1))}) {
    EXPECT_LT(largest_difference(found.values, at::tensor(std::vector<double>{3, 2})), 1e-5);
    EXPECT_LT(largest_difference(found.vectors, at::eye(2)), 1e-5);
  }
}

TEST(Singular, BothWaysFindTheSameDirections) {
  const DenseTall matrix(graded(600, 40));
  const Directions exact = exact_directions(plain(matrix), 6),
                   found = iterated_directions(plain(matrix), 6, Random(2));
  EXPECT_LT(largest_difference(exact.values, found.values) / exact.values[0].item<double>(), 1e-5);
  EXPECT_LT(largest_difference(exact.vectors, found.vectors), 1e-2);
  const at::Tensor values = std::get<1>(at::linalg_svd(graded(600, 40), false));
  EXPECT_LT(largest_difference(exact.values, values.slice(0, 0, 6)), 1e-3);
}

TEST(Singular, ASparseMatrixIsTheDenseOne) {
  const at::Tensor dense = graded(300, 20).relu();
  const SparseTall sparse(
      std::shared_ptr<const SparseOperator>(sparse_of(dense).sparse_operator().slice(0, 300)));
  const DenseTall whole(dense);
  EXPECT_LT(largest_difference(sparse.block(10, 20), whole.block(10, 20)), 1e-6);
  const Directions a = exact_directions(plain(sparse), 4), b = exact_directions(plain(whole), 4);
  EXPECT_LT(largest_difference(a.vectors, b.vectors), 1e-3);
}

TEST(Singular, CentersAndScalesWithoutACopy) {
  const at::Tensor dense = graded(500, 12) + 30;
  const at::Tensor mean = dense.mean(0).to(at::kDouble);
  const at::Tensor scale = at::arange(1, 13, at::kDouble);
  const DenseTall matrix(dense), by_hand(((dense - mean) * scale).to(at::kFloat));
  const Directions wanted = exact_directions(plain(by_hand), 3);
  for (const Directions& found : {exact_directions({matrix, mean, scale}, 3),
                                  iterated_directions({matrix, mean, scale}, 3, Random(3))}) {
    EXPECT_LT(largest_difference(found.values / wanted.values, at::ones({3})), 1e-4);
    EXPECT_LT(largest_difference(found.vectors, wanted.vectors), 1e-2);
  }
}

TEST(Singular, TheNumberOfThreadsChangesNoBit) {
  const DenseTall matrix(graded(5000, 300));
  const auto solve = [&](int count) {
    const ThreadScope scope(count);
    return std::pair{exact_directions(plain(matrix), 8),
                     iterated_directions(plain(matrix), 8, Random(4))};
  };
  const auto [exact, iterated] = solve(1);
  for (const int count : {2, 3}) {
    const auto again = solve(count);
    EXPECT_TRUE(at::equal(exact.vectors, again.first.vectors));
    EXPECT_TRUE(at::equal(iterated.vectors, again.second.vectors));
  }
}

// Noise alone is below the edge, up to the fluctuation of its largest values; two planted
// directions are not, and keep nearly all of their length.
TEST(Shrinkage, KeepsWhatExceedsNoise) {
  at::Tensor matrix = noise(2000, 100, 5).to(at::kDouble);
  const auto factors = [&] {
    return shrinkage(std::get<1>(at::linalg_svd(matrix, false)), 2000, 100);
  };
  EXPECT_LT(factors().max().item<double>(), 0.2);
  EXPECT_LE((factors() > 0).sum().item<int64_t>(), 3);
  matrix.select(1, 0) += 10 * at::sin(at::arange(2000, at::kDouble));
  matrix.select(1, 1) += 10 * at::cos(at::arange(2000, at::kDouble));
  const at::Tensor planted = factors();
  EXPECT_GT(planted.slice(0, 0, 2).min().item<double>(), 0.9);
  EXPECT_LT(planted.slice(0, 2).max().item<double>(), 0.2);
  matrix = matrix.t().contiguous();
  EXPECT_LT(
      largest_difference(planted, shrinkage(std::get<1>(at::linalg_svd(matrix, false)), 100, 2000)),
      1e-9);
}

// A matrix of rank two without noise.
TEST(Shrinkage, LeavesExactMatricesAlone) {
  const at::Tensor values = at::tensor(std::vector<double>{3, 2, 0, 0, 0});
  EXPECT_TRUE(at::equal(shrinkage(values, 10, 5), at::ones({5}, at::kDouble)));
}

TEST(Singular, HasNoMoreDirectionsThanRowsOrColumns) {
  const DenseTall matrix(noise(3, 10, 1));
  EXPECT_EQ(exact_directions(plain(matrix), 8).values.size(0), 3);
  EXPECT_EQ(iterated_directions(plain(matrix), 8, Random(1)).values.size(0), 3);
}

}  // namespace
}  // namespace gs::test
