#include "graph/centrality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/graphs.h"

namespace gs {
namespace {

using namespace gs::test;

const Csr star = undirected_graph(4, {{0, 1}, {0, 2}, {0, 3}});

TEST(Centrality, OfAStarByDegree) {
  EXPECT_EQ(degree_centrality(star), (std::vector<double>{3, 1, 1, 1}));
}

TEST(Centrality, OfAStarByPageRankIsWorkedByHand) {
  // hub = .15/4 + .85 (1 - hub), since all that is not at the hub walks to it.
  const auto rank = pagerank_centrality(star);
  const double hub = (0.15 / 4 + 0.85) / 1.85;
  EXPECT_NEAR(rank[0], hub, 1e-7);  // what 100 iterations of damping .85 leave
  for (const int leaf : {1, 2, 3}) EXPECT_NEAR(rank[leaf], (1 - hub) / 3, 1e-7);
}

// Bipartite: plain power iteration would swing between two vectors.
TEST(Centrality, OfAStarByEigenvectorizWorkedByHand) {
  const auto x = eigenvector_centrality(star);
  EXPECT_NEAR(x[0], 1 / std::sqrt(2), 1e-7);
  for (const int leaf : {1, 2, 3}) EXPECT_NEAR(x[leaf], 1 / std::sqrt(6), 1e-7);
}

TEST(Centrality, PageRankFlowsAlongEdgesAndAddsUpToOne) {
  const Csr chain = graph(4, {{0, 1}, {1, 2}});  // node 2 leads nowhere, node 3 has no edge
  const auto rank = pagerank_centrality(chain);
  EXPECT_NEAR(std::accumulate(rank.begin(), rank.end(), 0.0), 1, 1e-9);
  EXPECT_GT(rank[2], rank[1]);
  EXPECT_GT(rank[1], rank[0]);
  EXPECT_NEAR(rank[0], rank[3], 1e-12);
}

TEST(Centrality, WeightsCount) {
  const auto rank = pagerank_centrality(weighted_graph(3, {{0, 1, 3}, {0, 2, 1}, {1, 0}, {2, 0}}));
  EXPECT_GT(rank[1], 2 * rank[2]);
}

TEST(Centrality, IsTheSameOnAnyNumberOfThreads) {
  const Csr g = weighted_graph(900, random_edges(900, 9000, 3));
  const ThreadScope one(1);
  const auto rank = pagerank_centrality(g), vector = eigenvector_centrality(g);
  for (const int count : kThreadCounts) {
    const ThreadScope threads(count);
    EXPECT_EQ(pagerank_centrality(g), rank);
    EXPECT_EQ(eigenvector_centrality(g), vector);
  }
}

TEST(Centrality, IsFiniteWithoutEdges) {
  for (const double v : eigenvector_centrality(graph(3, {}))) EXPECT_TRUE(std::isfinite(v));
  for (const double v : pagerank_centrality(graph(3, {}))) EXPECT_NEAR(v, 1 / 3., 1e-12);
}

}  // namespace
}  // namespace gs
