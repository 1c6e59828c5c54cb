#include "graph/subgraph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.h"
#include "support/graphs.h"

namespace gs {
namespace {

using namespace gs::test;
using Ids = std::vector<int32_t>;

TEST(Subgraph, KeepsTheEntriesBetweenItsNodesInTheGivenOrder) {
  // 0 -> 1, 1 -> 2, 2 -> 0, 3 -> 2; nodes 2, 0 become 0, 1: what remains is 2 -> 0, now 0 -> 1.
  const Csr g = weighted_graph(4, {{0, 1, 5}, {1, 2, 6}, {2, 0, 7}, {3, 2, 8}});
  SubgraphWorkspace workspace;
  std::vector<int64_t> positions;
  const Csr part = induced_subgraph(g, Ids{2, 0}, workspace, &positions);
  EXPECT_EQ(to_vector(part.offsets), (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(to_vector(part.neighbors), (Ids{0}));
  EXPECT_EQ(to_vector(part.weights), (std::vector<float>{7}));
  EXPECT_EQ(positions, (std::vector<int64_t>{0})) << "row 0 of the graph holds 2 -> 0";
}

TEST(Subgraph, RowsAscendInLocalIds) {
  const Csr g = weighted_graph(4, {{0, 3, 1}, {1, 3, 2}, {2, 3, 3}});
  SubgraphWorkspace workspace;
  std::vector<int64_t> positions;
  const Csr part = induced_subgraph(g, Ids{2, 3, 0, 1}, workspace, &positions);
  EXPECT_EQ(part.degree(1), 3);
  EXPECT_EQ(to_vector(part.neighbors), (Ids{0, 2, 3}));
  EXPECT_EQ(to_vector(part.weights), (std::vector<float>{3, 1, 2}));
  EXPECT_EQ(positions, (std::vector<int64_t>{2, 0, 1}));
}

TEST(Subgraph, OfNoNodesIsEmpty) {
  SubgraphWorkspace workspace;
  const Csr part = induced_subgraph(graph(3, {{0, 1}}), {}, workspace);
  EXPECT_EQ(part.nodes(), 0);
  EXPECT_EQ(part.edges(), 0);
}

TEST(Subgraph, RefusesRepeatedAndUnknownNodesAndLeavesTheWorkspaceClean) {
  const Csr g = graph(3, {{0, 1}});
  SubgraphWorkspace workspace;
  EXPECT_THROW(induced_subgraph(g, Ids{0, 1, 0}, workspace), Error);
  EXPECT_THROW(induced_subgraph(g, Ids{0, 3}, workspace), Error);
  EXPECT_THROW(induced_subgraph(g, Ids{-1}, workspace), Error);
  EXPECT_EQ(workspace.local, (Ids{-1, -1, -1}));
  EXPECT_EQ(induced_subgraph(g, Ids{0, 1}, workspace).edges(), 1);
}

TEST(Subgraph, AgreesWithANaiveFilterOnAnyNumberOfThreads) {
  const int32_t nodes = 700;
  const Csr g = weighted_graph(nodes, random_edges(nodes, 50000, 11));
  SubgraphWorkspace workspace;  // one for all calls
  for (const bool shuffled : {false, true})
    for (const int32_t kept : {1, 30, 699, 700}) {
      Ids chosen(nodes);
      std::iota(chosen.begin(), chosen.end(), 0);
      Random(static_cast<uint64_t>(kept)).shuffle(std::span(chosen));
      chosen.resize(kept);
      if (!shuffled) std::sort(chosen.begin(), chosen.end());

      std::vector<Edge> edges;
      for (int32_t i = 0; i < kept; ++i)
        for (int32_t j = 0; j < kept; ++j) {
          const auto row = g.row(chosen[i]);
          const auto found = std::lower_bound(row.begin(), row.end(), chosen[j]);
          if (found != row.end() && *found == chosen[j])
            edges.push_back({j, i, g.row_weights(chosen[i])[found - row.begin()]});
        }
      const Csr expected = weighted_graph(kept, edges);
      for (const int count : kThreadCounts) {
        const ThreadScope scope(count);
        std::vector<int64_t> positions;
        const Csr part = induced_subgraph(g, chosen, workspace, &positions);
        ASSERT_EQ(to_vector(part.offsets), to_vector(expected.offsets));
        ASSERT_EQ(to_vector(part.neighbors), to_vector(expected.neighbors));
        ASSERT_EQ(to_vector(part.weights), to_vector(expected.weights));
        for (int64_t e = 0; e < part.edges(); ++e) {
          ASSERT_EQ(g.neighbors[positions[e]], chosen[part.neighbors[e]]);
          ASSERT_EQ(g.weights[positions[e]], part.weights[e]);
        }
      }
    }
}

TEST(KHop, FollowsWhatNodesHearFrom) {
  const Csr chain = graph(5, {{0, 1}, {1, 2}, {2, 3}, {4, 3}});
  SubgraphWorkspace workspace;
  EXPECT_EQ(k_hop_nodes(chain, Ids{3}, 0, workspace), (Ids{3}));
  EXPECT_EQ(k_hop_nodes(chain, Ids{3}, 1, workspace), (Ids{2, 3, 4}));
  EXPECT_EQ(k_hop_nodes(chain, Ids{3}, 2, workspace), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(k_hop_nodes(chain, Ids{3}, 100, workspace), (Ids{0, 1, 2, 3, 4}));
  EXPECT_EQ(k_hop_nodes(chain, Ids{0}, 100, workspace), (Ids{0})) << "0 hears from nobody";
  EXPECT_EQ(k_hop_nodes(chain, Ids{1, 0, 1}, 0, workspace), (Ids{0, 1}));
  EXPECT_EQ(k_hop_nodes(chain, {}, 3, workspace), (Ids{}));
  EXPECT_THROW(k_hop_nodes(chain, Ids{5}, 1, workspace), Error);
}

TEST(KHop, AgreesWithRepeatedUnions) {
  const Csr g = graph(300, random_edges(300, 500, 2));
  SubgraphWorkspace workspace;
  for (int32_t seed = 0; seed < 300; seed += 7) {
    std::set<int32_t> reached{seed};
    for (int64_t hops = 0; hops < 6; ++hops) {
      EXPECT_EQ(k_hop_nodes(g, Ids{seed}, hops, workspace), Ids(reached.begin(), reached.end()));
      const std::set<int32_t> before = reached;
      for (const int32_t v : before) reached.insert(g.row(v).begin(), g.row(v).end());
    }
  }
}

}  // namespace
}  // namespace gs
