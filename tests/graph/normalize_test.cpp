#include "graph/normalize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "support/graphs.h"

namespace gs {
namespace {

using namespace gs::test;
using Matrix = std::map<std::pair<int32_t, int32_t>, double>;  // (row, column) -> value

float at(const Array<float>& values, int64_t i, float otherwise) {
  return values.empty() ? otherwise : values[i];
}

// The matrix that a Normalization stands for, entry by entry: the formula at the top of
// normalize.h.
Matrix explicit_values(const Csr& g, const Normalization& norm) {
  Matrix out;
  for (int32_t v = 0; v < g.nodes(); ++v) {
    const double row = at(norm.row_scale, v, 1);
    for (int64_t i = g.offsets[v]; i < g.offsets[v + 1]; ++i)
      out[{v, g.neighbors[i]}] +=
          row * (g.weighted() ? g.weights[i] : 1) * at(norm.col_scale, g.neighbors[i], 1);
    const double self = at(norm.self_weight, v, 0);
    if (self != 0) out[{v, v}] += row * self * at(norm.col_scale, v, 1);
  }
  return out;
}

void expect_near(const Matrix& got, const Matrix& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [place, value] : expected) {
    ASSERT_TRUE(got.contains(place)) << place.first << ", " << place.second;
    EXPECT_NEAR(got.at(place), value, 1e-6) << place.first << ", " << place.second;
  }
}

TEST(Normalize, GcnOfAPathWorkedByHand) {
  // 0 - 1 - 2: degrees with loops 2, 3, 2.
  const Csr g = undirected_graph(3, {{0, 1}, {1, 2}});
  const double a = 1 / std::sqrt(6.0);
  expect_near(explicit_values(g, normalization(g, Norm::gcn)), {{{0, 0}, .5},
                                                                {{0, 1}, a},
                                                                {{1, 0}, a},
                                                                {{1, 1}, 1 / 3.0},
                                                                {{1, 2}, a},
                                                                {{2, 1}, a},
                                                                {{2, 2}, .5}});
}

TEST(Normalize, GcnOfADirectedWeightedGraphUsesInDegreesOnBothEnds) {
  // 0 -> 1 (weight 3), 2 -> 1 (weight 5), loop at 1 of weight 8; loops of weight 1 are added at 0
  // and 2. In-degrees: 1, 16, 1. Entry (1, 0) is 3 / sqrt(16 * 1).
  const Csr g = weighted_graph(3, {{0, 1, 3}, {2, 1, 5}, {1, 1, 8}});
  expect_near(explicit_values(g, normalization(g, Norm::gcn)),
              {{{0, 0}, 1}, {{1, 0}, .75}, {{1, 1}, .5}, {{1, 2}, 1.25}, {{2, 2}, 1}});
}

TEST(Normalize, MeanDividesByTheRowsWeight) {
  const Csr plain = graph(3, {{0, 1}, {2, 1}, {1, 0}});
  expect_near(explicit_values(plain, normalization(plain, Norm::mean)),
              {{{0, 1}, 1}, {{1, 0}, .5}, {{1, 2}, .5}});
  const Csr weighted = weighted_graph(3, {{0, 1, 1}, {2, 1, 3}});
  expect_near(explicit_values(weighted, normalization(weighted, Norm::mean)),
              {{{1, 0}, .25}, {{1, 2}, .75}});
}

TEST(Normalize, SumLeavesTheWeightsAsTheyAre) {
  const Csr g = weighted_graph(2, {{0, 1, 3}});
  expect_near(explicit_values(g, normalization(g, Norm::sum)), {{{1, 0}, 3}});
}

TEST(Normalize, IsolatedNodesAndZeroWeightsStayFinite) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const Csr g = weighted_graph(4, {{0, 0, 0}, {0, 1, 0}, {3, 3, tiny}});
  for (const Norm norm : {Norm::sum, Norm::mean, Norm::gcn}) {
    const Normalization n = normalization(g, norm);
    for (const auto& values : {n.row_scale, n.col_scale, n.self_weight})
      for (const float value : values) EXPECT_TRUE(std::isfinite(value));
    for (const auto& [place, value] : explicit_values(g, n)) EXPECT_TRUE(std::isfinite(value));
  }
  const Normalization gcn = normalization(g, Norm::gcn);
  EXPECT_EQ(gcn.row_scale[0], 0) << "the only entry is a loop of weight 0, which stays";
  EXPECT_EQ(gcn.self_weight[0], 0);
  EXPECT_EQ(gcn.row_scale[1], 1) << "a row of weight 0 and its added loop";
  EXPECT_EQ(gcn.row_scale[2], 1) << "isolated: its added loop alone";
  EXPECT_EQ(normalization(g, Norm::mean).row_scale[2], 0);
  EXPECT_EQ(normalization(Csr(), Norm::gcn).row_scale.size(), 0);
}

TEST(Normalize, TransposedBelongsToTheReverseGraph) {
  const Csr g = weighted_graph(40, random_edges(40, 200, 3));
  for (const Norm norm : {Norm::sum, Norm::mean, Norm::gcn}) {
    const Normalization n = normalization(g, norm);
    Matrix turned;
    for (const auto& [place, value] : explicit_values(g, n))
      turned[{place.second, place.first}] = value;
    expect_near(explicit_values(reverse(g), n.transposed()), turned);
  }
}

// PyTorch Geometric's recipe, in dense arithmetic: fill missing loops with 1, sum rows, scale by
// both ends.
TEST(Normalize, GcnAgreesWithTheDenseRecipeOnAnyNumberOfThreads) {
  const int32_t nodes = 150;
  for (const bool weighted : {false, true}) {
    const Csr g = build_csr(edge_list(nodes, random_edges(nodes, 30000, 4), weighted), {});
    Matrix dense;
    for (int32_t v = 0; v < nodes; ++v)
      for (int64_t i = g.offsets[v]; i < g.offsets[v + 1]; ++i)
        dense[{v, g.neighbors[i]}] = weighted ? g.weights[i] : 1;
    for (int32_t v = 0; v < nodes; ++v) dense.insert({{v, v}, 1});
    std::vector<double> degree(nodes);
    for (const auto& [place, value] : dense) degree[place.first] += value;
    for (auto& [place, value] : dense)
      value /= std::sqrt(degree[place.first] * degree[place.second]);
    for (const int count : kThreadCounts) {
      const ThreadScope scope(count);
      expect_near(explicit_values(g, normalization(g, Norm::gcn)), dense);
    }
  }
}

}  // namespace
}  // namespace gs
