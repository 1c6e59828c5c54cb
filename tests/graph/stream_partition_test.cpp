#include "graph/stream_partition.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "graph/partition.h"
#include "support/graphs.h"

namespace gs {
namespace {

using namespace gs::test;
using Ids = std::vector<int32_t>;

// `groups` groups of `size` nodes in a random order, with 10 edges per node, 5 % of them between
// any two nodes.
Csr communities(int64_t groups, int64_t size, bool both_ways = true) {
  Random random(4);
  const int64_t nodes = groups * size;
  std::vector<int32_t> order(static_cast<size_t>(nodes));
  for (int64_t i = 0; i < nodes; ++i) order[i] = static_cast<int32_t>(i);
  random.shuffle(std::span(order));
  std::vector<Edge> edges;
  for (int64_t i = 0; i < nodes; ++i)
    for (int k = 0; k < 10; ++k) {
      const bool any = random.uniform() < 0.05;
      const int64_t other = any ? random.below(nodes) : i / size * size + random.below(size);
      edges.push_back({order[i], order[other]});
    }
  return build_csr(edge_list(nodes, edges), {.symmetrize = both_ways});
}

Ids streamed(const Csr& graph, int64_t parts) {
  Ids part(static_cast<size_t>(graph.nodes()));
  stream_partition(graph, parts, part);
  return part;
}

double cut_share(const Csr& graph, const Ids& part) {
  int64_t cut = 0;
  for (int64_t v = 0; v < graph.nodes(); ++v)
    for (const int32_t u : graph.row(v)) cut += part[u] != part[v];
  return static_cast<double>(cut) / static_cast<double>(graph.edges());
}

int64_t largest(const Ids& part, int64_t parts) {
  std::vector<int64_t> sizes(static_cast<size_t>(parts));
  for (const int32_t p : part) ++sizes[p];
  return std::ranges::max(sizes);
}

TEST(StreamPartition, CutsFarFewerEdgesThanChanceAndNotManyMoreThanMetis) {
  for (const bool both_ways : {true, false}) {
    const Csr g = communities(8, 250, both_ways);
    const double found = cut_share(g, streamed(g, 8));
    EXPECT_LT(found, 0.4) << "chance is 0.875";
    if (both_ways) {
      EXPECT_LT(found, cut_share(g, partition(g, 8, 0)) + 0.1);
    }
  }
}

TEST(StreamPartition, KeepsPartsWithinFivePercent) {
  for (const int64_t parts : {1, 3, 16, 100}) {
    const Csr g = communities(4, 300);
    const int64_t mean = (g.nodes() + parts - 1) / parts;
    EXPECT_LE(largest(streamed(g, parts), parts), std::max(mean, g.nodes() * 105 / (100 * parts)));
  }
}

TEST(StreamPartition, TakesGraphsWithoutEdgesAndAsManyPartsAsNodes) {
  EXPECT_EQ(largest(streamed(graph(12, {}), 4), 4), 3);
  EXPECT_EQ(largest(streamed(graph(5, {{0, 1}, {1, 0}, {2, 2}}), 5), 5), 1);
}

TEST(StreamPartition, IsTheSameEveryTime) {
  const Csr g = communities(4, 200);
  EXPECT_EQ(streamed(g, 4), streamed(g, 4));
}

}  // namespace
}  // namespace gs
