#include "dataset/make_features.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/parallel.h"
#include "dataset/spectral.h"
#include "support/files.h"

namespace gs::test {
namespace {

using testing::ElementsAre;

Csr graph_of(int64_t nodes, const std::vector<std::pair<int, int>>& pairs, bool symmetrize = true,
             std::vector<float> weights = {}) {
  EdgeList edges;
  edges.nodes = nodes;
  for (const auto& [a, b] : pairs) edges.source.push_back(a), edges.target.push_back(b);
  edges.weight = std::move(weights);
  return build_csr(edges, {.symmetrize = symmetrize});
}

// Two triangles 0-1-2 and 3-4-5 with the bridge 2-3.
Csr two_triangles() {
  return graph_of(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 3}});
}

TEST(MakeFeatures, DegreeIsAOneInALogarithmicColumn) {
  // Degrees 3, 1, 1, 1, 0: columns 4 log2(4) = 8, 4 log2(2) = 4, 0.
  const Features f =
      make_features(MakeFeatures::degree, graph_of(5, {{0, 1}, {0, 2}, {0, 3}}), 64, 0);
  ASSERT_TRUE(f.sparse());
  const SparseMatrix& m = f.sparse_matrix();
  EXPECT_EQ(m.rows, 5);
  EXPECT_EQ(m.columns, 64);
  EXPECT_THAT(m.indices.span(), ElementsAre(8, 4, 4, 4, 0));
  EXPECT_THAT(m.offsets.span(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_TRUE(m.values.empty());
}

TEST(MakeFeatures, DegreeBeyondTheWidthTakesTheLastColumn) {
  const Features f =
      make_features(MakeFeatures::degree, graph_of(4, {{0, 1}, {0, 2}, {0, 3}}), 6, 0);
  EXPECT_THAT(f.sparse_matrix().indices.span(), ElementsAre(5, 4, 4, 4));
}

TEST(MakeFeatures, RandomHasUnitRowsOnAverageAndRepeatsBySeed) {
  const Csr graph = graph_of(2000, {{0, 1}});
  const Features f = make_features(MakeFeatures::random, graph, 16, 5);
  double sum = 0, square = 0;
  for (const float v : f.dense_matrix().values) sum += v, square += v * v;
  EXPECT_NEAR(sum / 32000, 0, 0.01);
  EXPECT_NEAR(square / 2000, 1, 0.05);
  const ThreadScope scope(1);
  const Features again = make_features(MakeFeatures::random, graph, 16, 5);
  EXPECT_TRUE(
      std::ranges::equal(f.dense_matrix().values.span(), again.dense_matrix().values.span()));
  const Features other = make_features(MakeFeatures::random, graph, 16, 6);
  EXPECT_FALSE(
      std::ranges::equal(f.dense_matrix().values.span(), other.dense_matrix().values.span()));
}

TEST(MakeFeatures, SpectralSeparatesTwoTriangles) {
  const Features f = make_features(MakeFeatures::spectral, two_triangles(), 2, 0);
  const DenseMatrix& m = f.dense_matrix();
  ASSERT_EQ(m.rows, 6);
  ASSERT_EQ(m.columns, 2);
  // The first is sqrt(degree), of length sqrt(6): the degrees 2, 2, 3, 3, 2, 2 sum to 14.
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(m.row(i)[0], std::sqrt((i == 2 || i == 3 ? 3.0 : 2.0) * 6 / 14), 1e-3);
  }
  // The second changes sign across the bridge.
  EXPECT_GT(m.row(0)[1] * m.row(1)[1], 0);
  EXPECT_LT(m.row(0)[1] * m.row(5)[1], 0);
  EXPECT_NEAR(m.row(0)[1], -m.row(5)[1], 1e-3);
}

TEST(MakeFeatures, SpectralPadsWithZerosPastTheNumberOfNodes) {
  const Features f = make_features(MakeFeatures::spectral, graph_of(2, {{0, 1}}), 4, 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(f.dense_matrix().row(i)[0], 1, 1e-5);
    EXPECT_EQ(f.dense_matrix().row(i)[2], 0);
    EXPECT_EQ(f.dense_matrix().row(i)[3], 0);
  }
}

TEST(MakeFeatures, SpectralFindsTheEigenvectorsOfARing) {
  // A ring of 60: eigenvalues cos(2 pi k / 60), twofold for k > 0, so columns 1..4 span the waves
  // of k = 1 and 2.
  std::vector<std::pair<int, int>> ring;
  for (int i = 0; i < 60; ++i) ring.emplace_back(i, (i + 1) % 60);
  const Csr graph = graph_of(60, ring);
  const DenseMatrix m = leading_eigenvectors(graph, 5, 1);
  const double wanted[] = {1, std::cos(M_PI / 30), std::cos(M_PI / 30), std::cos(M_PI / 15),
                           std::cos(M_PI / 15)};
  for (int c = 0; c < 5; ++c) {
    double quotient = 0, residual = 0, length = 0;
    for (int i = 0; i < 60; ++i) {
      const double x = m.row(i)[c], ax = (m.row((i + 1) % 60)[c] + m.row((i + 59) % 60)[c]) / 2.0;
      length += x * x, quotient += x * ax, residual += std::pow(ax - wanted[c] * x, 2);
    }
    EXPECT_NEAR(length, 60, 1e-2);
    EXPECT_NEAR(quotient / length, wanted[c], 1e-3);
    EXPECT_NEAR(residual / length, 0, 1e-3);
  }
}

TEST(MakeFeatures, SpectralTreatsADirectedGraphAsSymmetric) {
  const std::vector<std::pair<int, int>> pairs{{0, 1}, {1, 2}, {0, 2}, {3, 4},
                                               {4, 5}, {3, 5}, {2, 3}};
  const DenseMatrix directed = leading_eigenvectors(graph_of(6, pairs, false), 2, 0);
  const DenseMatrix symmetric = leading_eigenvectors(two_triangles(), 2, 0);
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(directed.values[i], symmetric.values[i], 1e-3);
}

TEST(MakeFeatures, SpectralUsesWeightsAndLeavesIsolatedNodesAtZero) {
  // A path 0 - 1 - 2 of weights 1 and 3, and node 3 alone: the first eigenvector is sqrt(strength)
  // = 1, 2, sqrt(3), 0.
  const DenseMatrix m = leading_eigenvectors(graph_of(4, {{0, 1}, {1, 2}}, true, {1, 3}), 1, 0);
  EXPECT_NEAR(m.values[0] * 2, m.values[1], 1e-4);
  EXPECT_NEAR(m.values[0] * std::sqrt(3.0), m.values[2], 1e-4);
  EXPECT_NEAR(m.values[3], 0, 1e-4);
}

TEST(MakeFeatures, SpectralIsTheSameOnAnyNumberOfThreads) {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < 3000; ++i)
    pairs.emplace_back(i, (i * 7 + 1) % 3000), pairs.emplace_back(i, (i * i + 3) % 3000);
  const Csr graph = graph_of(3000, pairs);
  const auto on = [&](int count) {
    const ThreadScope scope(count);
    return leading_eigenvectors(graph, 8, 2);
  };
  const DenseMatrix one = on(1), four = on(4);
  EXPECT_TRUE(std::ranges::equal(one.values.span(), four.values.span()));
}

TEST(SymmetricEigen, SolvesAMatrixWorkedByHand) {
  const Eigen eigen = symmetric_eigen({2, 1, 1, 2}, 2);
  EXPECT_NEAR(eigen.values[0], 3, 1e-12);
  EXPECT_NEAR(eigen.values[1], 1, 1e-12);
  EXPECT_NEAR(std::abs(eigen.vectors[0]), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(eigen.vectors[0] * eigen.vectors[2], 0.5, 1e-12);
  EXPECT_NEAR(eigen.vectors[1] * eigen.vectors[3], -0.5, 1e-12);
}

}  // namespace
}  // namespace gs::test
