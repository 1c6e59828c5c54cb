// Tiny graphs for tests: `Csr g = graph(3, {{0, 1}, {1, 2}});` has the edges 0 -> 1 and 1 -> 2 and
// nothing else.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "graph/csr.h"

namespace gs::test {

struct Edge {
  int32_t source, target;
  float weight = 1;
};

inline EdgeList edge_list(int64_t nodes, const std::vector<Edge>& edges, bool weighted = false) {
  EdgeList list;
  list.nodes = nodes;
  for (const Edge& edge : edges) {
    list.source.push_back(edge.source);
    list.target.push_back(edge.target);
    if (weighted) list.weight.push_back(edge.weight);
  }
  return list;
}

inline Csr graph(int64_t nodes, const std::vector<Edge>& edges) {
  return build_csr(edge_list(nodes, edges), {});
}
inline Csr weighted_graph(int64_t nodes, const std::vector<Edge>& edges) {
  return build_csr(edge_list(nodes, edges, true), {});
}
inline Csr undirected_graph(int64_t nodes, const std::vector<Edge>& edges) {
  return build_csr(edge_list(nodes, edges), {.symmetrize = true});
}

// A hub, a loop, weights and edges of one direction, among the nodes 0 to 6.
inline std::vector<Edge> hub_edges() {
  return {{0, 1, 1}, {0, 2, 2}, {0, 3, 1}, {0, 4, .5}, {0, 5, 1},
          {1, 0, 3}, {2, 0, 1}, {6, 5, 2}, {5, 6, 1},  {3, 3, 1}};
}

// `count` edges between random nodes, with loops and duplicates; weights are random and not exact
// in binary.
inline std::vector<Edge> random_edges(int64_t nodes, int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<Edge> edges;
  for (int64_t i = 0; i < count; ++i)
    edges.push_back({static_cast<int32_t>(random.below(nodes)),
                     static_cast<int32_t>(random.below(nodes)),
                     static_cast<float>(random.uniform())});
  return edges;
}

template <class T>
std::vector<T> to_vector(const Array<T>& values) {
  return {values.begin(), values.end()};
}

inline constexpr int kThreadCounts[] = {1, 2, 3, 8};

}  // namespace gs::test
