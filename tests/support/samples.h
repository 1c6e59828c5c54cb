// Datasets for loaders, and the plain sums to compare their batches with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "loader/loader.h"
#include "support/graphs.h"

namespace gs::test {

// A dataset of this graph; node v's features are v, v + 0.5, ... (dense) or a one in column v
// (sparse).
inline Dataset dataset_of(Csr graph, bool sparse = false) {
  Dataset data;
  data.name = "test";
  const int64_t nodes = graph.nodes();
  data.graph = std::move(graph);
  if (sparse) {
    std::vector<int64_t> offsets(static_cast<size_t>(nodes) + 1);
    std::iota(offsets.begin(), offsets.end(), 0);
    std::vector<int32_t> columns(static_cast<size_t>(nodes));
    std::iota(columns.begin(), columns.end(), 0);
    data.features.matrix = SparseMatrix{nodes, nodes, std::move(offsets), std::move(columns), {}};
  } else {
    std::vector<float> values;
    for (int64_t v = 0; v < nodes; ++v)
      for (int64_t j = 0; j < 3; ++j) values.push_back(static_cast<float>(v) + 0.5f * j);
    data.features.matrix = DenseMatrix{nodes, 3, std::move(values)};
  }
  return data;
}

// out[i] as graph/normalize.h has it, for x of one column.
inline std::vector<double> aggregate(const LayerGraph& layer, std::span<const double> x) {
  const auto at = [](const Array<float>& scale, int64_t i, double otherwise) {
    return scale.empty() ? otherwise : static_cast<double>(scale[i]);
  };
  const SparseMatrix& a = layer.matrix;
  std::vector<double> out(static_cast<size_t>(a.rows));
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
      const int32_t j = a.indices[e];
      out[i] += at(a.values, e, 1) * at(layer.scales.col_scale, j, 1) * x[j];
    }
    out[i] += at(layer.scales.self_weight, i, 0) * at(layer.scales.col_scale, i, 1) * x[i];
    out[i] *= at(layer.scales.row_scale, i, 1);
  }
  return out;
}

inline LayerGraph whole_graph(const Csr& graph, Norm norm) {
  return {{graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights},
          normalization(graph, norm)};
}

}  // namespace gs::test
