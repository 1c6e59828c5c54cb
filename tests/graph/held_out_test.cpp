#include "graph/held_out.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "support/graphs.h"

namespace gs {
namespace {

bool has(const Csr& graph, int32_t from, int32_t to) {
  const auto row = graph.row(to);
  return std::find(row.begin(), row.end(), from) != row.end();
}

Csr ring(int64_t nodes, bool symmetric) {
  EdgeList edges;
  edges.nodes = nodes;
  for (int32_t v = 0; v < nodes; ++v)
    for (const int32_t hop : {1, 2, 5}) {
      edges.source.push_back(v);
      edges.target.push_back(static_cast<int32_t>((v + hop) % nodes));
    }
  return build_csr(std::move(edges), {.symmetrize = symmetric});
}

TEST(HoldOut, TakesEdgesOutInBothDirectionsAndNothingElse) {
  for (const bool symmetric : {true, false}) {
    const Csr graph = ring(100, symmetric);
    const HeldOut held = hold_out(graph, 0.2, 1000, Random(1));
    EXPECT_EQ(held.positive.size(), 60);
    EXPECT_EQ(held.negative.size(), 60);
    EXPECT_EQ(held.graph.edges(), graph.edges() - (symmetric ? 120 : 60));
    EXPECT_EQ(held.graph.symmetric, symmetric);
    validate(held.graph, "held out");
    EXPECT_EQ(is_symmetric(held.graph), symmetric);
    std::set<std::pair<int32_t, int32_t>> seen;
    for (const NodePair& pair : held.positive) {
      EXPECT_TRUE(has(graph, pair.from, pair.to));
      EXPECT_FALSE(has(held.graph, pair.from, pair.to));
      if (symmetric) {
        EXPECT_FALSE(has(held.graph, pair.to, pair.from));
      }
      EXPECT_TRUE(seen.insert({pair.from, pair.to}).second) << "taken twice";
    }
    for (const NodePair& pair : held.negative) {
      EXPECT_FALSE(has(graph, pair.from, pair.to));
      EXPECT_NE(pair.from, pair.to);
    }
    for (const NodePair& pair : held.known) EXPECT_TRUE(has(held.graph, pair.from, pair.to));
    for (const NodePair& pair : held.unknown) EXPECT_FALSE(has(graph, pair.from, pair.to));
  }
}

TEST(HoldOut, LeavesNoWayBackInADirectedGraph) {
  EdgeList edges;  // nearly symmetric: one entry has no way back
  edges.nodes = 50;
  for (int32_t v = 0; v < 50; ++v)
    for (const auto& [from, to] : {std::pair{v, (v + 1) % 50}, {(v + 1) % 50, v}})
      if (from != 7 || to != 8) edges.source.push_back(from), edges.target.push_back(to);
  const Csr graph = build_csr(std::move(edges), {});
  ASSERT_FALSE(graph.symmetric);
  const HeldOut held = hold_out(graph, 0.5, 1000, Random(2));
  EXPECT_EQ(held.positive.size(), 25) << "half of the fifty pairs, not of the 99 entries";
  for (const NodePair& pair : held.positive) {
    EXPECT_TRUE(has(graph, pair.from, pair.to));
    EXPECT_FALSE(has(held.graph, pair.from, pair.to));
    EXPECT_FALSE(has(held.graph, pair.to, pair.from));
  }
  for (const auto& pairs : {held.negative, held.unknown})
    for (const NodePair& pair : pairs)
      EXPECT_FALSE(has(graph, pair.from, pair.to) || has(graph, pair.to, pair.from));
}

TEST(HoldOut, KeepsWeightsOfWhatStays) {
  EdgeList edges;
  edges.nodes = 6;
  edges.source = {0, 1, 2, 3, 4}, edges.target = {1, 2, 3, 4, 5}, edges.weight = {1, 2, 3, 4, 5};
  const Csr graph = build_csr(std::move(edges), {});
  const HeldOut held = hold_out(graph, 0.4, 10, Random(3));
  ASSERT_EQ(held.graph.edges(), 3);
  for (int64_t v = 1; v < 6; ++v)
    if (held.graph.degree(v) > 0) {
      EXPECT_FLOAT_EQ(held.graph.row_weights(v)[0], static_cast<float>(v));
    }
}

TEST(HoldOut, RepeatsBySeedAndIsBounded) {
  const Csr graph = ring(100, true);
  EXPECT_EQ(hold_out(graph, 0.3, 1000, Random(1)).positive,
            hold_out(graph, 0.3, 1000, Random(1)).positive);
  EXPECT_NE(hold_out(graph, 0.3, 1000, Random(1)).positive,
            hold_out(graph, 0.3, 1000, Random(2)).positive);
  EXPECT_EQ(hold_out(graph, 0.5, 7, Random(1)).positive.size(), 7);
}

TEST(HoldOut, RefusesWhatHasNothingToAskFor) {
  EXPECT_THROW(hold_out(test::graph(3, {}), 0.1, 10, Random(1)), Error);
  EdgeList all;
  all.nodes = 4;
  for (int32_t u = 0; u < 4; ++u)
    for (int32_t v = 0; v < 4; ++v)
      if (u != v) all.source.push_back(u), all.target.push_back(v);
  EXPECT_THROW(hold_out(build_csr(std::move(all), {}), 0.1, 10, Random(1)), Error);
}

TEST(Strangers, AreNotJoinedToTheNode) {
  const Csr graph = ring(30, false);
  const auto found = non_neighbors(graph, 4, 200, Random(1));
  EXPECT_EQ(found.size(), 200);
  for (const int32_t to : found) {
    EXPECT_NE(to, 4);
    EXPECT_FALSE(has(graph, 4, to) || has(graph, to, 4));
  }
}

}  // namespace
}  // namespace gs
