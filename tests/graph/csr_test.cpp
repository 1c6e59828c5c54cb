#include "graph/csr.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "support/files.h"
#include "support/graphs.h"

namespace gs {
namespace {

using namespace gs::test;
using Ids = std::vector<int32_t>;
using Offsets = std::vector<int64_t>;
using Weights = std::vector<float>;

TEST(Csr, RowListsTheNodesItHearsFromInOrder) {
  const Csr g = graph(4, {{2, 1}, {0, 1}, {1, 3}});
  EXPECT_EQ(to_vector(g.offsets), (Offsets{0, 0, 2, 2, 3}));
  EXPECT_EQ(to_vector(g.neighbors), (Ids{0, 2, 1}));
  EXPECT_FALSE(g.weighted());
  EXPECT_FALSE(g.symmetric);
}

TEST(Csr, EmptyGraphsAreSymmetricAndValid) {
  for (const int64_t nodes : {0, 5}) {
    const Csr g = graph(nodes, {});
    EXPECT_EQ(g.nodes(), nodes);
    EXPECT_EQ(g.edges(), 0);
    EXPECT_TRUE(g.symmetric);
    EXPECT_NO_THROW(validate(g, "graph"));
    EXPECT_EQ(reverse(g).nodes(), nodes);
  }
}

TEST(Csr, DuplicatesMergeAndAreCounted) {
  BuildCounts counts;
  const Csr g = build_csr(edge_list(2, {{0, 1}, {0, 1}, {1, 0}, {0, 1}}), {}, &counts);
  EXPECT_EQ(to_vector(g.neighbors), (Ids{1, 0}));
  EXPECT_EQ(counts.duplicates, 2);
  EXPECT_TRUE(g.symmetric) << "both directions were listed";
}

TEST(Csr, WeightsOfDuplicatesAddUp) {
  const Csr g = weighted_graph(3, {{0, 1, 1.5f}, {2, 1, 4}, {0, 1, 0.25f}});
  EXPECT_EQ(to_vector(g.neighbors), (Ids{0, 2}));
  EXPECT_EQ(to_vector(g.weights), (Weights{1.75f, 4}));
}

TEST(Csr, DuplicatesStayWhenAskedTo) {
  BuildCounts counts;
  const Csr g = build_csr(edge_list(2, {{0, 1, 3}, {0, 1, 1}}, true), {.coalesce = false}, &counts);
  EXPECT_EQ(to_vector(g.neighbors), (Ids{0, 0}));
  EXPECT_EQ(to_vector(g.weights), (Weights{1, 3}));
  EXPECT_EQ(counts.duplicates, 0);
}

TEST(Csr, SymmetrizingCountsOnlyRepeatsOfTheSameDirection) {
  BuildCounts counts;
  const Csr g =
      build_csr(edge_list(3, {{0, 1}, {1, 0}, {1, 2}, {1, 2}}), {.symmetrize = true}, &counts);
  EXPECT_EQ(to_vector(g.offsets), (Offsets{0, 1, 3, 4}));
  EXPECT_EQ(to_vector(g.neighbors), (Ids{1, 0, 2, 1}));
  EXPECT_EQ(counts.duplicates, 1);
  EXPECT_TRUE(g.symmetric);
}

TEST(Csr, SymmetrizingTakesTheLargerWeightAfterMergingEachDirection) {
  // 0 -> 1 is listed as 1 + 2 = 3, 1 -> 0 as 2.5; 1 -> 2 only one way; the loop keeps its weight.
  const Csr g =
      build_csr(edge_list(3, {{0, 1, 1}, {1, 0, 2.5f}, {0, 1, 2}, {1, 2, 7}, {2, 2, 5}}, true),
                {.symmetrize = true});
  EXPECT_EQ(to_vector(g.neighbors), (Ids{1, 0, 2, 1, 2}));
  EXPECT_EQ(to_vector(g.weights), (Weights{3, 3, 7, 7, 5}));
}

TEST(Csr, SymmetrizingASymmetricListChangesNothing) {
  const std::vector<Edge> edges{{0, 1, 2}, {1, 0, 2}, {1, 2, 3}, {2, 1, 3},
                                {2, 2, 9}, {0, 1, 2}, {1, 0, 2}};
  for (const bool coalesce : {true, false}) {
    const Csr plain = build_csr(edge_list(3, edges, true), {.coalesce = coalesce});
    const Csr both =
        build_csr(edge_list(3, edges, true), {.symmetrize = true, .coalesce = coalesce});
    EXPECT_TRUE(plain.symmetric);
    EXPECT_EQ(to_vector(both.offsets), to_vector(plain.offsets));
    EXPECT_EQ(to_vector(both.neighbors), to_vector(plain.neighbors));
    EXPECT_EQ(to_vector(both.weights), to_vector(plain.weights));
  }
}

TEST(Csr, SymmetrizingWithoutMergingKeepsTheLargerMultiplicity) {
  const Csr g =
      build_csr(edge_list(2, {{0, 1}, {0, 1}, {1, 0}}), {.symmetrize = true, .coalesce = false});
  EXPECT_EQ(to_vector(g.offsets), (Offsets{0, 2, 4}));
  EXPECT_EQ(to_vector(g.neighbors), (Ids{1, 1, 0, 0}));
}

TEST(Csr, SelfLoopsAreKeptDroppedOrAddedWhereThereIsNone) {
  const EdgeList list = edge_list(3, {{0, 0, 5}, {0, 1, 2}, {0, 0, 1}}, true);
  BuildCounts counts;
  EXPECT_EQ(to_vector(build_csr(list, {}, &counts).neighbors), (Ids{0, 0}));
  EXPECT_EQ(counts.self_loops, 0);
  EXPECT_EQ(counts.duplicates, 1);

  EXPECT_EQ(to_vector(build_csr(list, {.self_loops = SelfLoops::drop}, &counts).neighbors),
            (Ids{0}));
  EXPECT_EQ(counts.self_loops, 2);
  EXPECT_EQ(counts.duplicates, 0);

  const Csr added = build_csr(list, {.self_loops = SelfLoops::add}, &counts);
  EXPECT_EQ(to_vector(added.offsets), (Offsets{0, 1, 3, 4}));
  EXPECT_EQ(to_vector(added.neighbors), (Ids{0, 0, 1, 2}));
  EXPECT_EQ(to_vector(added.weights), (Weights{6, 2, 1, 1}));
  EXPECT_EQ(counts.self_loops, 0);

  const Csr plain =
      build_csr(edge_list(2, {{0, 1}}), {.symmetrize = true, .self_loops = SelfLoops::add});
  EXPECT_EQ(to_vector(plain.neighbors), (Ids{0, 1, 0, 1}));
}

TEST(Csr, NamesTheFirstBadEdge) {
  expect_data_error([] { graph(3, {{0, 1}, {1, 3}, {-1, 0}}); }, "edge 1: 1 -> 3");
  expect_data_error([] { graph(3, {{-1, 0}}); }, "edge 0: -1 -> 0");
  expect_data_error([] { graph(0, {{0, 0}}); }, "edge 0");
  for (const float bad : {-1.0f, std::nanf(""), std::numeric_limits<float>::infinity()})
    expect_data_error(
        [&] {
          weighted_graph(2, {{0, 1, 1}, {0, 1, bad}});
        },
        "edge 1: the weight is");
}

TEST(Csr, TheFirstBadEdgeIsTheSameOnAnyNumberOfThreads) {
  std::vector<Edge> edges(100000, Edge{0, 1});
  edges[70001].source = edges[99999].target = 2;
  for (const int count : kThreadCounts) {
    const ThreadScope scope(count);
    expect_data_error([&] { graph(2, edges); }, "edge 70001: 2 -> 1");
  }
}

TEST(Csr, RefusesWeightsThatOverflowWhenMerged) {
  const float most = std::numeric_limits<float>::max();
  expect_data_error([&] { weighted_graph(2, {{0, 1, most}, {0, 1, most}}); }, "edge 0 -> 1");
}

TEST(Csr, RefusesMoreNodesThanIdsCanName) {
  EXPECT_NO_THROW(check_node_count(2147483647, "x"));
  expect_data_error([] { check_node_count(int64_t{1} << 31, "x.npz"); },
                    "x.npz: 2147483648 nodes are too many");
  expect_data_error([] { graph(int64_t{1} << 31, {}); }, "too many");
  expect_data_error([] { graph(-1, {}); }, "-1 nodes");
}

TEST(Csr, ReverseTurnsEveryEdge) {
  const Csr g = reverse(weighted_graph(3, {{0, 1, 2}, {2, 1, 3}, {1, 2, 4}, {0, 0, 5}}));
  EXPECT_EQ(to_vector(g.offsets), (Offsets{0, 2, 3, 4}));
  EXPECT_EQ(to_vector(g.neighbors), (Ids{0, 1, 2, 1}));
  EXPECT_EQ(to_vector(g.weights), (Weights{5, 2, 4, 3}));
}

TEST(Csr, ReverseOfASymmetricGraphSharesItsStorage) {
  const Csr g = undirected_graph(3, {{0, 1}, {1, 2}});
  EXPECT_EQ(reverse(g).neighbors.data(), g.neighbors.data());
}

TEST(Csr, SymmetryComparesStructureAndWeights) {
  EXPECT_TRUE(is_symmetric(graph(3, {{0, 1}, {1, 0}, {2, 2}})));
  EXPECT_FALSE(is_symmetric(graph(3, {{0, 1}, {1, 0}, {2, 1}})));
  EXPECT_FALSE(is_symmetric(graph(3, {{0, 1}, {1, 0}, {1, 2}})));
  EXPECT_FALSE(is_symmetric(graph(3, {{0, 1}, {1, 2}, {2, 0}})));
  EXPECT_TRUE(is_symmetric(weighted_graph(2, {{0, 1, 2}, {1, 0, 2}})));
  EXPECT_FALSE(is_symmetric(weighted_graph(2, {{0, 1, 2}, {1, 0, 3}})));
}

// What build_csr should give, the slow way: a map from (target, source) to the weights listed for
// it.
struct Naive {
  std::map<std::pair<int32_t, int32_t>, std::vector<float>> listed;
  std::map<std::pair<int32_t, int32_t>, float> entries;
  int64_t duplicates = 0, loops = 0;

  Naive(int64_t nodes, const std::vector<Edge>& edges, const BuildOptions& options) {
    for (const Edge& edge : edges) {
      if (options.self_loops == SelfLoops::drop && edge.source == edge.target) {
        ++loops;
        continue;
      }
      auto& weights = listed[{edge.target, edge.source}];
      duplicates += !weights.empty();
      weights.push_back(edge.weight);
    }
    for (auto& [place, weights] : listed) {
      std::sort(weights.begin(), weights.end());
      double sum = 0;
      for (const float weight : weights) sum += weight;
      const auto [target, source] = place;
      auto& here = entries[place];
      here = std::max(here, static_cast<float>(sum));
      if (options.symmetrize) {
        auto& there = entries[{source, target}];
        there = std::max(there, static_cast<float>(sum));
      }
    }
    if (options.self_loops == SelfLoops::add)
      for (int32_t v = 0; v < nodes; ++v) entries.insert({{v, v}, 1.0f});
  }
};

void expect_equal(const Csr& g, const Naive& naive, bool weighted) {
  ASSERT_EQ(g.edges(), static_cast<int64_t>(naive.entries.size()));
  auto expected = naive.entries.begin();
  for (int32_t v = 0; v < g.nodes(); ++v)
    for (int64_t i = g.offsets[v]; i < g.offsets[v + 1]; ++i, ++expected) {
      ASSERT_EQ(v, expected->first.first);
      ASSERT_EQ(g.neighbors[i], expected->first.second);
      if (weighted) {
        ASSERT_EQ(g.weights[i], expected->second) << "bit for bit";
      }
    }
}

TEST(Csr, AgreesWithANaiveBuildOnRandomGraphsAndAnyNumberOfThreads) {
  struct Size {
    int64_t nodes, edges;
  };
  for (const Size size :
       {Size{1, 3}, Size{7, 30}, Size{50, 2000}, Size{900, 60000}, Size{40000, 50000}})
    for (const bool symmetrize : {false, true})
      for (const SelfLoops loops : {SelfLoops::keep, SelfLoops::drop, SelfLoops::add}) {
        const BuildOptions options{.symmetrize = symmetrize, .self_loops = loops};
        const auto edges = random_edges(size.nodes, size.edges, size.nodes);
        const Naive naive(size.nodes, edges, options);
        for (const int count : kThreadCounts)
          for (const bool weighted : {false, true}) {
            const ThreadScope scope(count);
            BuildCounts counts;
            const Csr g = build_csr(edge_list(size.nodes, edges, weighted), options, &counts);
            expect_equal(g, naive, weighted);
            EXPECT_EQ(counts.duplicates, naive.duplicates);
            EXPECT_EQ(counts.self_loops, naive.loops);
            EXPECT_NO_THROW(validate(g, "graph"));
            EXPECT_EQ(is_symmetric(g), g.symmetric);
            EXPECT_EQ(g.symmetric, symmetrize || naive.entries.size() <= 1);
          }
      }
}

TEST(Csr, SortsRowsOfEveryLength) {
  // Hubs of 3 to 1.2 million entries: each way of sorting a row gets its turn.
  for (const int64_t length : {3, 47, 48, 100, 5000, 1200000}) {
    EdgeList list;
    list.nodes = length + 1;
    for (int64_t i = 0; i < length; ++i) {
      list.source.push_back(static_cast<int32_t>(i * 7919 % length));
      list.target.push_back(static_cast<int32_t>(length));
      list.weight.push_back(static_cast<float>(list.source.back()));
    }
    for (const bool weighted : {false, true}) {
      EdgeList input = list;
      if (!weighted) input.weight.clear();
      const Csr g = build_csr(std::move(input), {});
      ASSERT_EQ(g.edges(), length);
      for (int64_t i = 0; i < length; ++i) {
        ASSERT_EQ(g.neighbors[i], i);
        if (weighted) {
          ASSERT_EQ(g.weights[i], static_cast<float>(i));
        }
      }
    }
  }
}

TEST(Csr, ReversingTwiceGivesTheSameGraphOnAnyNumberOfThreads) {
  for (const bool coalesce : {true, false}) {
    const Csr g =
        build_csr(edge_list(3000, random_edges(3000, 60000, 5), true), {.coalesce = coalesce});
    for (const int count : kThreadCounts) {
      const ThreadScope scope(count);
      const Csr turned = reverse(g), again = reverse(turned);
      EXPECT_NE(to_vector(turned.neighbors), to_vector(g.neighbors));
      EXPECT_EQ(to_vector(again.offsets), to_vector(g.offsets));
      EXPECT_EQ(to_vector(again.neighbors), to_vector(g.neighbors));
      EXPECT_EQ(to_vector(again.weights), to_vector(g.weights));
    }
  }
}

TEST(Csr, OneTurnedEntryAnywhereBreaksSymmetry) {
  const auto edges = random_edges(60, 300, 9);
  const Csr g =
      build_csr(edge_list(60, edges), {.symmetrize = true, .self_loops = SelfLoops::drop});
  for (const int count : kThreadCounts) {
    const ThreadScope scope(count);
    for (int64_t gone = 0; gone < g.edges(); ++gone) {
      std::vector<Edge> rest;
      for (int32_t v = 0; v < g.nodes(); ++v)
        for (int64_t i = g.offsets[v]; i < g.offsets[v + 1]; ++i)
          if (i != gone) rest.push_back({g.neighbors[i], v});
      EXPECT_FALSE(graph(60, rest).symmetric)
          << "without entry " << gone << ", " << count << " threads";
    }
  }
}

Csr raw(Offsets offsets, Ids neighbors, Weights weights = {}) {
  Csr g;
  g.offsets = std::move(offsets);
  g.neighbors = std::move(neighbors);
  g.weights = std::move(weights);
  return g;
}

TEST(Csr, ValidateRefusesWhatAHostileFileMayHold) {
  const auto refused = [](Csr g, const std::string& part) {
    for (const int count : kThreadCounts) {
      const ThreadScope scope(count);
      expect_data_error([&] { validate(g, "graph.npy"); }, "graph.npy: " + part);
    }
  };
  EXPECT_NO_THROW(validate(raw({0, 1, 3}, {1, 0, 1}, {0, 1, 2}), "graph.npy"));
  refused(raw({}, {}), "the graph has no offsets");
  refused(raw({}, {1}), "the graph has no offsets");
  refused(raw({1, 1}, {0}), "offsets begin with 1");
  refused(raw({0, 2, 1}, {0}), "offset 2 is 1");
  refused(raw({0, int64_t{1} << 60, 1}, {0}), "offset 2 is 1");
  refused(raw({0, -5, 1}, {0}), "offset 1 is -5");
  refused(raw({0, 1, 2}, {0}), "offsets end with 2, but there are 1");
  refused(raw({0, 0, 0}, {0}), "offsets end with 0, but there are 1");
  refused(raw({0, 1, 2}, {0, 2}), "row 1 names node 2, but there are 2");
  refused(raw({0, 1, 2}, {-1, 0}), "row 0 names node -1");
  refused(raw({0, 2, 2}, {1, 0}), "row 0 is not in ascending order at node 0");
  refused(raw({0, 2, 2}, {1, 1}), "row 0 names node 1 twice");
  refused(raw({0, 1, 2}, {0, 1}, {1}), "1 weights for 2 entries");
  for (const float bad : {-1.0f, std::nanf(""), std::numeric_limits<float>::infinity()})
    refused(raw({0, 1, 2}, {0, 1}, {1, bad}), "row 1 has the weight");
}

}  // namespace
}  // namespace gs
