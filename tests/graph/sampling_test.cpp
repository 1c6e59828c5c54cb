#include "graph/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "support/graphs.h"
#include "support/statistics.h"

namespace gs {
namespace {

using namespace gs::test;
using Ids = std::vector<int32_t>;

struct Hop {
  SampledRows rows;
  Ids nodes;

  Ids row(int64_t i) const {  // global ids, ascending
    Ids out;
    for (const int32_t j : rows.neighbors.slice(rows.offsets[i], rows.offsets[i + 1]))
      out.push_back(nodes[j]);
    std::sort(out.begin(), out.end());
    return out;
  }
};

Hop one_hop(const Csr& g, const Ids& seeds, int64_t fanout, uint64_t seed,
            SamplingWorkspace& workspace, Neighbors how = Neighbors::uniform) {
  NeighborSampler sampler(g, seeds, workspace);
  SampledRows rows = sampler.hop(fanout, how, Random(seed));
  return {std::move(rows), sampler.take_nodes()};
}

Ids all_nodes(const Csr& g) {
  Ids nodes(static_cast<size_t>(g.nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

// Node 0 hears from 1 .. leaves, which hear from nobody.
Csr star(int32_t leaves, const std::vector<float>& weights = {}) {
  std::vector<Edge> edges;
  for (int32_t u = 1; u <= leaves; ++u)
    edges.push_back({u, 0, weights.empty() ? 1 : weights[u - 1]});
  return weights.empty() ? graph(leaves + 1, edges) : weighted_graph(leaves + 1, edges);
}

TEST(Sampling, KeepsWholeRowsThatAreNotLongerThanTheFanout) {
  const Csr g = weighted_graph(60, random_edges(60, 400, 1));
  int64_t longest = 0;
  for (int64_t v = 0; v < g.nodes(); ++v) longest = std::max(longest, g.degree(v));
  SamplingWorkspace workspace;
  const Ids seeds{7, 3, 59, 0};
  for (const int64_t fanout : {int64_t{-1}, longest, 10 * longest})
    for (const Neighbors how : {Neighbors::uniform, Neighbors::weight}) {
      const Hop hop = one_hop(g, seeds, fanout, 5, workspace, how);
      EXPECT_TRUE(hop.rows.factors.empty());
      for (size_t i = 0; i < seeds.size(); ++i) {
        const auto row = g.row(seeds[i]);
        const auto weights = g.row_weights(seeds[i]);
        EXPECT_EQ(hop.row(i), Ids(row.begin(), row.end()));
        const auto kept = hop.rows.weights.slice(hop.rows.offsets[i], hop.rows.offsets[i + 1]);
        EXPECT_TRUE(std::equal(kept.begin(), kept.end(), weights.begin(), weights.end()));
      }
    }
}

TEST(Sampling, DrawsDistinctNeighborsOfTheGraphAndNumbersThemInOrder) {
  const Csr g = graph(300, random_edges(300, 6000, 2));
  SamplingWorkspace workspace;
  const Ids seeds{5, 100, 299, 12};
  NeighborSampler sampler(g, seeds, workspace);
  for (const int64_t fanout : {4, 1, 30}) {
    const auto rows = static_cast<int64_t>(sampler.nodes().size());
    const SampledRows sampled = sampler.hop(fanout, Neighbors::uniform, Random(fanout));
    const Hop hop{sampled, sampler.nodes()};
    ASSERT_EQ(sampled.offsets.size(), rows + 1);
    EXPECT_TRUE(sampled.weights.empty());
    for (int64_t i = 0; i < rows; ++i) {
      const Ids ids = hop.row(i);
      const auto row = g.row(hop.nodes[i]);
      EXPECT_EQ(std::ssize(ids), std::min(fanout, g.degree(hop.nodes[i])));
      EXPECT_EQ(std::set<int32_t>(ids.begin(), ids.end()).size(), ids.size());
      EXPECT_TRUE(std::includes(row.begin(), row.end(), ids.begin(), ids.end()));
      const float factor = sampled.factors.empty() ? 1 : sampled.factors[i];
      const float whole = ids.empty() ? 1 : static_cast<float>(row.size()) / ids.size();
      EXPECT_FLOAT_EQ(factor, whole);
    }
  }
  const Ids nodes = sampler.take_nodes();
  EXPECT_EQ(Ids(nodes.begin(), nodes.begin() + 4), seeds);
  EXPECT_EQ(std::set<int32_t>(nodes.begin(), nodes.end()).size(), nodes.size());
  EXPECT_EQ(workspace.local, Ids(300, -1)) << "the workspace is clean again";
}

TEST(Sampling, OfARowDependsOnItsPlaceAlone) {
  const Csr g = graph(200, random_edges(200, 8000, 3));
  SamplingWorkspace used, fresh;
  one_hop(g, all_nodes(g), 20, 1, used);
  const Hop few = one_hop(g, {9, 4}, 6, 77, used), many = one_hop(g, {9, 4, 150, 2}, 6, 77, fresh);
  for (const int64_t i : {0, 1}) EXPECT_EQ(few.row(i), many.row(i));
  EXPECT_NE(one_hop(g, {9, 4}, 6, 78, used).row(0), few.row(0));
}

TEST(Sampling, EveryPairOfARowIsAsLikely) {
  const Csr g = star(5);
  SamplingWorkspace workspace;
  std::map<Ids, int64_t> pairs;
  for (uint64_t seed = 0; seed < 20000; ++seed) ++pairs[one_hop(g, {0}, 2, seed, workspace).row(0)];
  ASSERT_EQ(pairs.size(), 10u);
  std::vector<double> seen;
  for (const auto& [pair, count] : pairs) seen.push_back(static_cast<double>(count));
  EXPECT_LT(chi_square(seen, std::vector<double>(10, 2000)), chi_square_limit(9));
}

TEST(Sampling, EveryNeighborOfAHubIsAsLikely) {
  const int32_t leaves = 1000, kept = 100, draws = 2000;
  const Csr g = star(leaves);
  SamplingWorkspace workspace;
  std::vector<double> seen(leaves);
  for (uint64_t seed = 0; seed < draws; ++seed)
    for (const int32_t u : one_hop(g, {0}, kept, seed, workspace).row(0)) ++seen[u - 1];
  // Draws without replacement vary less than independent ones, by (n - k) / (n - 1).
  const double less = static_cast<double>(leaves - kept) / (leaves - 1);
  const std::vector<double> expected(leaves, static_cast<double>(draws) * kept / leaves);
  EXPECT_LT(chi_square(seen, expected) / less, chi_square_limit(leaves - 1));
}

TEST(Sampling, DrawsOfDifferentRowsAreIndependent) {
  // Two nodes hear from the same four others: all 16 outcomes of drawing one each are as likely.
  std::vector<Edge> edges;
  for (int32_t u = 2; u < 6; ++u) edges.push_back({u, 0}), edges.push_back({u, 1});
  const Csr g = graph(6, edges);
  SamplingWorkspace workspace;
  std::vector<double> seen(16);
  for (uint64_t seed = 0; seed < 16000; ++seed) {
    const Hop hop = one_hop(g, {0, 1}, 1, seed, workspace);
    ++seen[4 * (hop.row(0)[0] - 2) + hop.row(1)[0] - 2];
  }
  EXPECT_LT(chi_square(seen, std::vector<double>(16, 1000)), chi_square_limit(15));
}

// Every neighbor's weight in the sum, times the row's factor, is its own weight on average.
TEST(Sampling, IsUnbiasedForEveryNeighborsWeight) {
  const std::vector<float> weights{0.1f, 5, 0.7f, 0, 2, 0.3f, 1e-3f, 0.3f};
  const Csr g = star(8, weights);
  SamplingWorkspace workspace;
  for (const Neighbors how : {Neighbors::uniform, Neighbors::weight})
    for (const int64_t fanout : {1, 3, 7}) {
      std::vector<Mean> mean(8);
      Mean sum;
      for (uint64_t seed = 0; seed < 20000; ++seed) {
        const Hop hop = one_hop(g, {0}, fanout, seed, workspace, how);
        ASSERT_EQ(hop.rows.neighbors.size(), fanout);
        std::vector<double> value(8);
        for (int64_t k = 0; k < fanout; ++k)
          value[hop.nodes[hop.rows.neighbors[k]] - 1] =
              hop.rows.weights[k] * (hop.rows.factors.empty() ? 1 : hop.rows.factors[0]);
        for (int i = 0; i < 8; ++i) mean[i].add(value[i]);
        sum.add(std::accumulate(value.begin(), value.end(), 0.0));
      }
      for (int i = 0; i < 8; ++i)
        EXPECT_LT(std::abs(mean[i].mean() - weights[i]), 5 * mean[i].error() + 1e-4)
            << "neighbor " << i << ", fan-out " << fanout;
      EXPECT_LT(std::abs(sum.mean() - 8.401), 5 * sum.error() + 1e-5);
    }
}

TEST(Sampling, ByWeightPrefersHeavyEntriesAndNeedsWeights) {
  std::vector<float> weights(50, 0.01f);
  weights[17] = 100;
  SamplingWorkspace workspace;
  const Csr heavy = star(50, weights), plain = star(50);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Ids row = one_hop(heavy, {0}, 3, seed, workspace, Neighbors::weight).row(0);
    EXPECT_TRUE(std::binary_search(row.begin(), row.end(), 18));
    EXPECT_EQ(one_hop(plain, {0}, 3, seed, workspace, Neighbors::weight).row(0),
              one_hop(plain, {0}, 3, seed, workspace, Neighbors::uniform).row(0));
  }
}

TEST(Sampling, OfNodesWithoutNeighborsIsEmpty) {
  SamplingWorkspace workspace;
  const Hop hop = one_hop(graph(4, {{0, 1}}), {3, 0, 2}, 5, 0, workspace);
  EXPECT_EQ(to_vector(hop.rows.offsets), (std::vector<int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(hop.nodes, (Ids{3, 0, 2}));
  EXPECT_EQ(one_hop(graph(4, {{0, 1}}), {}, 5, 0, workspace).nodes, Ids{});
}

TEST(Sampling, RefusesRepeatedAndUnknownSeedsAndLeavesTheWorkspaceClean) {
  const Csr g = graph(3, {{0, 1}});
  SamplingWorkspace workspace;
  for (const Ids& seeds : {Ids{1, 2, 1}, Ids{0, 3}, Ids{-1}})
    EXPECT_THROW(one_hop(g, seeds, 2, 0, workspace), Error);
  EXPECT_EQ(workspace.local, (Ids{-1, -1, -1}));
}

}  // namespace
}  // namespace gs
