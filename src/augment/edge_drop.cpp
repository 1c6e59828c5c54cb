#include "augment/edge_drop.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"

namespace gs {

namespace {

constexpr int64_t kDropGrain = 1 << 10;

// Entries [begin, end) of a matrix and whether each is kept.
class Keep {
 public:
  Keep(const LayerGraph& graph, const EdgeDrop& drop)
      : graph_(graph), drop_(drop), key_(drop.random.fork("edges").key()) {
    GS_ASSERT(drop.each.empty() || std::ssize(drop.each) == graph.matrix.indices.size());
  }

  double probability(int64_t entry) const {
    return drop_.each.empty() ? drop_.probability : static_cast<double>(drop_.each[entry]);
  }
  bool operator()(int64_t row, int64_t entry) const {
    auto a = static_cast<uint32_t>(row), b = static_cast<uint32_t>(graph_.matrix.indices[entry]);
    if (graph_.symmetric && a > b) std::swap(a, b);
    const uint32_t draw = philox(key_, uint64_t{a} << 32 | b)[0];
    return static_cast<double>(draw) >= probability(entry) * 0x1.0p32;
  }

 private:
  const LayerGraph& graph_;
  const EdgeDrop& drop_;
  uint64_t key_;
};

// Scales that keep the expected sums: row scales are divided by 1 - p. The added loop, which is
// never dropped, keeps its weight.
Normalization kept_scales(const Normalization& scales, int64_t rows, double probability) {
  Normalization out = scales;
  const auto factor = static_cast<float>(1 / (1 - probability));
  std::vector<float> row(static_cast<size_t>(rows), factor);
  for (int64_t v = 0; v < scales.row_scale.size(); ++v) row[v] *= scales.row_scale[v];
  out.row_scale = std::move(row);
  std::vector<float> self(scales.self_weight.begin(), scales.self_weight.end());
  for (float& weight : self) weight /= factor;
  out.self_weight = std::move(self);
  return out;
}

}  // namespace

LayerGraph drop_edges(const LayerGraph& graph, const EdgeDrop& drop, const Norm* again) {
  if (drop.each.empty() && !(drop.probability > 0)) return graph;
  const SparseMatrix& m = graph.matrix;
  const Keep keep(graph, drop);
  std::vector<int64_t> offsets(static_cast<size_t>(m.rows) + 1);
  std::vector<uint8_t> kept(static_cast<size_t>(m.indices.size()));
  const auto rows = m.offsets.slice(0, m.rows + 1);
  parallel_for_weighted(rows, kDropGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v)
      for (int64_t e = rows[v]; e < rows[v + 1]; ++e) offsets[v] += kept[e] = keep(v, e);
  });
  const int64_t total = exclusive_scan(offsets);
  // With one probability for all entries, the scales take the factor and no values are needed.
  const bool values = !m.values.empty() || (!again && !drop.each.empty());
  std::vector<int32_t> indices(static_cast<size_t>(total));
  std::vector<float> weights(values ? indices.size() : 0);
  parallel_for_weighted(rows, kDropGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      int64_t to = offsets[v];
      for (int64_t e = rows[v]; e < rows[v + 1]; ++e) {
        if (!kept[e]) continue;
        if (values) {
          weights[to] = m.values.empty() ? 1 : m.values[e];
          if (!again && !drop.each.empty())
            weights[to] /= static_cast<float>(1 - keep.probability(e));
        }
        indices[to++] = m.indices[e];
      }
    }
  });
  LayerGraph out{{m.rows, m.columns, std::move(offsets), std::move(indices), std::move(weights)},
                 graph.scales,
                 graph.symmetric};
  if (again) {
    GS_ASSERT(m.rows == m.columns);
    out.scales = normalization(
        Csr{out.matrix.offsets, out.matrix.indices, out.matrix.values, graph.symmetric}, *again);
  } else if (drop.each.empty()) {
    out.scales = kept_scales(graph.scales, m.rows, drop.probability);
  }
  return out;
}

}  // namespace gs
