#include "graph/reorder.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "graph/subgraph.h"

namespace gs {

namespace {

// Node ids in ascending order of key(v), ties by id.
template <class Key>
std::vector<int32_t> order_by(int64_t nodes, Key key) {
  std::vector<int32_t> order(static_cast<size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace

std::vector<int32_t> order_by_degree(const Csr& graph) {
  return order_by(graph.nodes(), [&](int32_t v) { return -graph.degree(v); });
}

std::vector<int32_t> order_by_part(std::span<const int32_t> parts) {
  return order_by(static_cast<int64_t>(parts.size()), [&](int32_t v) { return parts[v]; });
}

std::vector<int32_t> order_by_bfs(const Csr& graph) {
  std::vector<int32_t> order;
  order.reserve(static_cast<size_t>(graph.nodes()));
  std::vector<char> seen(static_cast<size_t>(graph.nodes()));
  const auto visit = [&](int32_t v) {
    if (!std::exchange(seen[v], true)) order.push_back(v);
  };
  size_t next = 0;
  for (int32_t start = 0; start < graph.nodes(); ++start) {
    visit(start);
    for (; next < order.size(); ++next)
      for (const int32_t u : graph.row(order[next])) visit(u);
  }
  return order;
}

std::vector<int32_t> inverse_order(std::span<const int32_t> order) {
  std::vector<int32_t> inverse(order.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) {
    GS_ASSERT(order[i] >= 0 && order[i] < order.size() && inverse[order[i]] == -1);
    inverse[order[i]] = static_cast<int32_t>(i);
  }
  return inverse;
}

Csr reorder(const Csr& graph, std::span<const int32_t> order) {
  GS_ASSERT(static_cast<int64_t>(order.size()) == graph.nodes());
  SubgraphWorkspace workspace;
  return induced_subgraph(graph, order, workspace);  // all nodes, in the new order
}

}  // namespace gs
