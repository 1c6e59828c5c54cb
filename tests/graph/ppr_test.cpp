#include "graph/ppr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "graph/normalize.h"
#include "support/graphs.h"

namespace gs {
namespace {

using namespace gs::test;
using Ids = std::vector<int32_t>;

// The true scores by power iteration, densely: p = alpha e + (1 - alpha) P' p, an empty row leading
// back to the seed.
std::vector<double> power_iteration(const Csr& g, int32_t seed, double alpha) {
  const std::vector<double> sums = row_sums(g);
  std::vector<double> p(static_cast<size_t>(g.nodes()));
  p[seed] = 1;
  for (int step = 0; step < 400; ++step) {
    std::vector<double> next(p.size());
    next[seed] = alpha;
    for (int32_t v = 0; v < g.nodes(); ++v) {
      if (sums[v] == 0) next[seed] += (1 - alpha) * p[v];
      else
        for (int64_t i = g.offsets[v]; i < g.offsets[v + 1]; ++i)
          next[g.neighbors[i]] += (1 - alpha) * p[v] * (g.weighted() ? g.weights[i] : 1) / sums[v];
    }
    p = next;
  }
  return p;
}

std::vector<double> dense(const PprScores& scores, int64_t nodes) {
  std::vector<double> out(static_cast<size_t>(nodes));
  for (size_t i = 0; i < scores.nodes.size(); ++i) out[scores.nodes[i]] = scores.scores[i];
  return out;
}

Ids all_nodes(const Csr& g) {
  Ids nodes(static_cast<size_t>(g.nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

TEST(Ppr, OfTwoLinkedNodesIsWorkedByHand) {
  // p0 = alpha + (1 - alpha) p1, p1 = (1 - alpha) p0: with alpha 1/2, p0 = 2/3 and p1 = 1/3.
  const Csr g = undirected_graph(2, {{0, 1}});
  const auto scores = personalized_pagerank(g, Ids{0}, {.alpha = .5, .epsilon = 1e-8});
  EXPECT_EQ(scores[0].nodes, (Ids{0, 1}));
  EXPECT_NEAR(scores[0].scores[0], 2 / 3., 1e-6);
  EXPECT_NEAR(scores[0].scores[1], 1 / 3., 1e-6);
}

TEST(Ppr, WalksToTheNodesThatTheSeedHearsFrom) {
  const Csr g = graph(3, {{0, 1}, {1, 2}});  // 2 hears from 1, 1 from 0
  const auto scores = personalized_pagerank(g, Ids{2, 0}, {.alpha = .5, .epsilon = 1e-9});
  EXPECT_EQ(scores[0].nodes, (Ids{2, 1, 0}));
  // 0 hears from nobody: the walk restarts. p2 = 1/2 + p0/2, p1 = p2/2, p0 = p1/2: 4/7, 2/7, 1/7.
  EXPECT_NEAR(scores[0].scores[0], 4 / 7., 1e-6);
  EXPECT_NEAR(scores[0].scores[2], 1 / 7., 1e-6);
  EXPECT_EQ(scores[1].nodes, (Ids{0}));
  EXPECT_NEAR(scores[1].scores[0], 1, 1e-6);
}

TEST(Ppr, FollowsWeights) {
  // From 0 three times as often to 2 as to 1; the entry of weight 0 is never taken, and a row of it
  // alone restarts.
  const Csr g = weighted_graph(4, {{1, 0, 1}, {2, 0, 3}, {3, 0, 0}, {3, 1, 0}});
  const auto scores = personalized_pagerank(g, Ids{0}, {.alpha = .2, .epsilon = 1e-9});
  const auto p = dense(scores[0], 4);
  EXPECT_NEAR(p[2] / p[1], 3, 1e-5);
  EXPECT_EQ(p[3], 0);
  EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-6);
}

TEST(Ppr, KeepsTheBestAndBreaksTiesById) {
  const Csr star = undirected_graph(5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}});
  const auto scores = personalized_pagerank(star, Ids{0}, {.epsilon = 1e-6, .top_k = 3});
  EXPECT_EQ(scores[0].nodes, (Ids{0, 1, 2}));
  EXPECT_EQ(scores[0].scores[1], scores[0].scores[2]);
}

TEST(Ppr, ErrorIsWithinTheBoundOnSymmetricGraphs) {
  for (const bool weighted : {false, true}) {
    const Csr g =
        build_csr(edge_list(60, random_edges(60, 150, 7), weighted), {.symmetrize = true});
    std::vector<double> degree = row_sums(g);
    const double unit =
        std::accumulate(degree.begin(), degree.end(), 0.0) / static_cast<double>(g.edges());
    for (const double epsilon : {1e-2, 1e-3, 1e-5})
      for (const double alpha : {.1, .25, .9}) {
        const auto scores =
            personalized_pagerank(g, all_nodes(g), {.alpha = alpha, .epsilon = epsilon});
        for (int32_t seed = 0; seed < 60; ++seed) {
          const auto got = dense(scores[seed], 60), truth = power_iteration(g, seed, alpha);
          for (int v = 0; v < 60; ++v) {
            EXPECT_LE(got[v], truth[v] + 1e-6);
            EXPECT_GE(got[v], truth[v] - epsilon * (degree[v] > 0 ? degree[v] / unit : 1) - 1e-6);
          }
        }
      }
  }
}

TEST(Ppr, ConvergesOnDirectedGraphsWithDeadEnds) {
  const Csr g = weighted_graph(50, random_edges(50, 70, 8));
  const double alpha = .15, epsilon = 1e-7;
  const auto scores = personalized_pagerank(g, all_nodes(g), {.alpha = alpha, .epsilon = epsilon});
  for (int32_t seed = 0; seed < 50; ++seed) {
    const auto got = dense(scores[seed], 50), truth = power_iteration(g, seed, alpha);
    for (int v = 0; v < 50; ++v) EXPECT_NEAR(got[v], truth[v], 2e-5);
    EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0), 1, 2e-5);
  }
}

TEST(Ppr, ACoarserPrecisionReachesFewerNodes) {
  const Csr g = build_csr(edge_list(5000, random_edges(5000, 20000, 1)), {.symmetrize = true});
  const auto coarse = personalized_pagerank(g, Ids{0}, {.epsilon = 1e-2});
  const auto fine = personalized_pagerank(g, Ids{0}, {.epsilon = 1e-5});
  EXPECT_LT(coarse[0].nodes.size(), 60u);
  EXPECT_GT(fine[0].nodes.size(), 1000u);
}

TEST(Ppr, IsTheSameOnAnyNumberOfThreadsAndForAnyCompany) {
  const Csr g = weighted_graph(400, random_edges(400, 3000, 6));
  const PprOptions options{.epsilon = 1e-5, .top_k = 40};
  std::vector<PprScores> expected;
  for (const int32_t seed : all_nodes(g))
    expected.push_back(personalized_pagerank(g, Ids{seed}, options)[0]);
  for (const int count : kThreadCounts) {
    const ThreadScope scope(count);
    const auto scores = personalized_pagerank(g, all_nodes(g), options);
    for (int32_t seed = 0; seed < 400; ++seed) {
      EXPECT_EQ(scores[seed].nodes, expected[seed].nodes);
      EXPECT_EQ(scores[seed].scores, expected[seed].scores);
    }
  }
}

TEST(Ppr, RefusesOptionsThatMeanNothing) {
  const Csr g = undirected_graph(2, {{0, 1}});
  const double nan = std::nan("");
  for (const double alpha : {0.0, -1.0, 1.5, nan})
    EXPECT_THROW(personalized_pagerank(g, Ids{0}, {.alpha = alpha}), Error) << alpha;
  for (const double epsilon : {0.0, -1.0, nan})
    EXPECT_THROW(personalized_pagerank(g, Ids{0}, {.epsilon = epsilon}), Error) << epsilon;
  EXPECT_THROW(personalized_pagerank(g, Ids{2}, {}), Error);
  EXPECT_EQ(personalized_pagerank(g, Ids{1}, {.alpha = 1})[0].nodes, (Ids{1}))
      << "never leaves the seed";
}

}  // namespace
}  // namespace gs
