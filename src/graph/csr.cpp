#include "graph/csr.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"

namespace gs {

namespace {

constexpr int64_t kGrain = 1 << 13;
constexpr const char* kDamaged =
    "the file is damaged or was not written by this program; convert the data again";

void check_offsets(const Csr& graph, const std::string& where) {
  if (graph.offsets.empty()) fail_data(where, "the graph has no offsets", kDamaged);
  check_node_count(graph.nodes(), where);
  if (graph.offsets[0] != 0)
    fail_data(where, fmt::format("offsets begin with {} instead of 0", graph.offsets[0]), kDamaged);
  parallel_for(graph.nodes(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v)
      if (graph.offsets[v + 1] < graph.offsets[v])
        fail_data(where,
                  fmt::format("offset {} is {}, less than the one before it", v + 1,
                              graph.offsets[v + 1]),
                  kDamaged);
  });
  if (graph.offsets[graph.nodes()] != graph.edges())
    fail_data(where,
              fmt::format("offsets end with {}, but there are {} entries",
                          graph.offsets[graph.nodes()], graph.edges()),
              kDamaged);
  if (!graph.weights.empty() && graph.weights.size() != graph.edges())
    fail_data(where, fmt::format("{} weights for {} entries", graph.weights.size(), graph.edges()),
              kDamaged);
}

void check_row(const Csr& graph, int64_t v, const std::string& where) {
  int64_t previous = -1;
  for (const int32_t u : graph.row(v)) {
    if (u < 0 || u >= graph.nodes())
      fail_data(where,
                fmt::format("row {} names node {}, but there are {} nodes", v, u, graph.nodes()),
                kDamaged);
    if (u <= previous)
      fail_data(where,
                u == previous ? fmt::format("row {} names node {} twice", v, u)
                              : fmt::format("row {} is not in ascending order at node {}", v, u),
                kDamaged);
    previous = u;
  }
  for (const float weight : graph.row_weights(v))
    if (!(weight >= 0 && weight <= std::numeric_limits<float>::max()))
      fail_data(where, fmt::format("row {} has the weight {}", v, weight),
                "edge weights must be finite and not negative");
}

// Whether rows [begin, end) and the columns of the same range mirror each other. Each row above the
// diagonal keeps a cursor at its next unmatched entry; as v ascends, entry (v, u) with u < v must
// meet exactly v there.
bool mirrored(const Csr& graph, int64_t begin, int64_t end, const std::atomic<bool>& give_up) {
  const int32_t* ids = graph.neighbors.data();
  std::vector<int64_t> cursor(static_cast<size_t>(end));
  for (int64_t u = 0; u < end; ++u) {
    const auto row = graph.row(u);
    cursor[u] = graph.offsets[u] +
                (std::lower_bound(row.begin(), row.end(), std::max(begin, u + 1)) - row.begin());
  }
  for (int64_t v = begin; v < end; ++v) {
    if (give_up.load(std::memory_order_relaxed)) return false;
    for (int64_t i = graph.offsets[v]; i < graph.offsets[v + 1] && ids[i] < v; ++i) {
      const int64_t mirror = cursor[ids[i]]++;
      if (mirror == graph.offsets[ids[i] + 1] || ids[mirror] != v) return false;
      if (graph.weighted() && graph.weights[mirror] != graph.weights[i]) return false;
    }
  }
  for (int64_t u = 0; u < end; ++u)
    if (cursor[u] != graph.offsets[u + 1] && ids[cursor[u]] < end) return false;
  return true;
}

}  // namespace

void check_node_count(int64_t nodes, const std::string& where) {
  if (nodes < 0)
    fail_data(where, fmt::format("{} nodes", nodes), "a graph cannot have fewer than 0 nodes");
  if (nodes > std::numeric_limits<int32_t>::max())
    fail_data(where, fmt::format("{} nodes are too many", nodes),
              fmt::format("node ids have 32 bits, so at most {} nodes fit",
                          std::numeric_limits<int32_t>::max()));
}

void validate(const Csr& graph, const std::string& where) {
  check_offsets(graph, where);
  parallel_for_weighted(graph.offsets.span(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) check_row(graph, v, where);
  });
}

bool is_symmetric(const Csr& graph) {
  if (graph.edges() == 0) return true;
  // A piece costs memory for a cursor a node; all of them together stay below the graph's own size.
  const int64_t pieces = std::clamp<int64_t>(graph.bytes() / (8 * graph.nodes()), 1, threads());
  std::atomic<bool> differs = false;
  parallel_for_weighted(graph.offsets.span(), (graph.edges() + graph.nodes()) / pieces,
                        [&](int64_t begin, int64_t end) {
                          if (!mirrored(graph, begin, end, differs)) differs = true;
                        });
  return !differs;
}

}  // namespace gs
