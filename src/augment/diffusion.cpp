#include "augment/diffusion.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "base/error.h"
#include "graph/normalize.h"

namespace gs {

namespace {

// The graph with a loop added at every node that has none.
Csr with_loops(const Csr& graph) {
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> neighbors;
  std::vector<float> weights;
  neighbors.reserve(static_cast<size_t>(graph.edges() + graph.nodes()));
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    const auto row = graph.row(v);
    const auto row_weights = graph.row_weights(v);
    const auto self = static_cast<int32_t>(v);
    const auto at = std::lower_bound(row.begin(), row.end(), self);
    const auto before = at - row.begin();
    const bool missing = at == row.end() || *at != self;
    neighbors.insert(neighbors.end(), row.begin(), at);
    if (missing) neighbors.push_back(self);
    neighbors.insert(neighbors.end(), at, row.end());
    if (graph.weighted()) {
      weights.insert(weights.end(), row_weights.begin(), row_weights.begin() + before);
      if (missing) weights.push_back(1);
      weights.insert(weights.end(), row_weights.begin() + before, row_weights.end());
    }
    offsets.push_back(std::ssize(neighbors));
  }
  return {std::move(offsets), std::move(neighbors), std::move(weights), graph.symmetric};
}

}  // namespace

LayerGraph ppr_diffusion(const Csr& plain, const PprOptions& options) {
  const Csr graph = with_loops(plain);
  std::vector<int32_t> sources(static_cast<size_t>(graph.nodes()));
  std::iota(sources.begin(), sources.end(), 0);
  const std::vector<PprScores> walks = personalized_pagerank(graph, sources, options);
  const std::vector<double> degree = row_sums(graph);
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<float> values;
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    std::vector<std::pair<int32_t, float>> row;
    for (size_t i = 0; i < walks[v].nodes.size(); ++i) {
      const int32_t u = walks[v].nodes[i];
      const double symmetric = degree[u] > 0 ? std::sqrt(degree[v] / degree[u]) : 0;
      row.emplace_back(u, static_cast<float>(walks[v].scores[i] * symmetric));
    }
    std::sort(row.begin(), row.end());
    for (const auto& [u, value] : row) indices.push_back(u), values.push_back(value);
    offsets.push_back(std::ssize(indices));
  }
  return {{graph.nodes(), graph.nodes(), std::move(offsets), std::move(indices), std::move(values)},
          {}};
}

LayerGraph diffusion_between(const LayerGraph& whole, std::span<const int64_t> nodes) {
  std::unordered_map<int64_t, int32_t> local;
  for (size_t i = 0; i < nodes.size(); ++i) local.emplace(nodes[i], static_cast<int32_t>(i));
  const SparseMatrix& m = whole.matrix;
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<float> values;
  for (const int64_t v : nodes) {
    for (int64_t e = m.offsets[v]; e < m.offsets[v + 1]; ++e) {
      const auto found = local.find(m.indices[e]);
      if (found == local.end()) continue;
      indices.push_back(found->second);
      values.push_back(m.values[e]);
    }
    offsets.push_back(std::ssize(indices));
  }
  const auto count = std::ssize(nodes);
  return {{count, count, std::move(offsets), std::move(indices), std::move(values)}, {}};
}

}  // namespace gs
