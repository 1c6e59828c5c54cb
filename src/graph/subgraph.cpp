#include "graph/subgraph.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "graph/local_ids.h"

namespace gs {

namespace {

constexpr int64_t kGrain = 1 << 13;
constexpr int32_t kOutside = LocalIds::kOutside;

struct LocalEntry {
  int32_t id;
  int64_t position;
};

}  // namespace

Csr induced_subgraph(const Csr& graph, std::span<const int32_t> nodes, SubgraphWorkspace& workspace,
                     std::vector<int64_t>* positions) {
  LocalIds local(graph.nodes(), workspace.local);
  for (const int32_t v : nodes) {
    const bool first_time = local.add(v);
    GS_ASSERT(first_time);
  }

  const auto count = static_cast<int64_t>(nodes.size());
  std::vector<int64_t> work(nodes.size() + 1), offsets(nodes.size() + 1);
  for (int64_t i = 0; i < count; ++i) work[i + 1] = work[i] + graph.degree(nodes[i]);
  parallel_for_weighted(work, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (const int32_t u : graph.row(nodes[i])) offsets[i] += local[u] != kOutside;
  });
  const int64_t edges = exclusive_scan(offsets);

  std::vector<int32_t> neighbors(static_cast<size_t>(edges));
  std::vector<float> weights(graph.weighted() ? neighbors.size() : 0);
  if (positions) positions->resize(neighbors.size());
  // Then local rows are ascending as they come.
  const bool ascending = std::is_sorted(nodes.begin(), nodes.end());
  parallel_for_weighted(work, kGrain, [&](int64_t begin, int64_t end) {
    std::vector<LocalEntry> row;
    for (int64_t i = begin; i < end; ++i) {
      row.clear();
      for (int64_t e = graph.offsets[nodes[i]]; e < graph.offsets[nodes[i] + 1]; ++e)
        if (const int32_t id = local[graph.neighbors[e]]; id != kOutside) row.push_back({id, e});
      if (!ascending)
        std::sort(row.begin(), row.end(), [](const LocalEntry& a, const LocalEntry& b) {
          return a.id != b.id ? a.id < b.id : a.position < b.position;
        });
      int64_t out = offsets[i];
      for (const LocalEntry& entry : row) {
        neighbors[out] = entry.id;
        if (graph.weighted()) weights[out] = graph.weights[entry.position];
        if (positions) (*positions)[out] = entry.position;
        ++out;
      }
    }
  });

  Csr out;
  out.offsets = std::move(offsets);
  out.neighbors = std::move(neighbors);
  out.weights = std::move(weights);
  out.symmetric = graph.symmetric;
  return out;
}

std::vector<int32_t> k_hop_nodes(const Csr& graph, std::span<const int32_t> seeds, int64_t hops,
                                 SubgraphWorkspace& workspace) {
  LocalIds found(graph.nodes(), workspace.local);
  for (const int32_t v : seeds) found.add(v);
  for (size_t begin = 0; hops > 0 && begin < found.nodes().size(); --hops) {
    const size_t end = found.nodes().size();
    for (; begin < end; ++begin)
      for (const int32_t u : graph.row(found.nodes()[begin])) found.add(u);
  }
  std::vector<int32_t> nodes = found.nodes();
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace gs
