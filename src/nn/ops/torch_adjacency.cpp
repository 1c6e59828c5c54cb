// Normalized adjacencies with explicit values in double, so that the plain path can be checked to
// full precision.
#include <algorithm>
#include <cmath>

#include "graph/normalize.h"
#include "nn/ops/torch_sparse.h"

namespace gs {

namespace {

bool has_loop(const Csr& graph, int64_t node) {
  const auto row = graph.row(node);
  return std::binary_search(row.begin(), row.end(), static_cast<int32_t>(node));
}

double weight_at(const Csr& graph, int64_t entry) {
  return graph.weighted() ? graph.weights[entry] : 1.0;
}

}  // namespace

std::shared_ptr<const TorchSparse> gcn_operator(const Csr& graph, const Device& device) {
  const int64_t n = graph.nodes();
  std::vector<double> scale = row_sums(graph);
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<double> values;
  offsets.reserve(n + 1);
  indices.reserve(graph.edges() + n);
  values.reserve(graph.edges() + n);
  for (int64_t v = 0; v < n; ++v) {
    const double degree = scale[v] + (has_loop(graph, v) ? 0 : 1);
    scale[v] = degree > 0 ? 1 / std::sqrt(degree) : 0;
  }
  for (int64_t v = 0; v < n; ++v) {
    bool loop_due = !has_loop(graph, v);
    const auto put = [&](int64_t u, double weight) {
      indices.push_back(static_cast<int32_t>(u));
      values.push_back(scale[v] * weight * scale[u]);
    };
    for (int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      if (loop_due && graph.neighbors[e] > v) put(v, 1), loop_due = false;
      put(graph.neighbors[e], weight_at(graph, e));
    }
    if (loop_due) put(v, 1);
    offsets.push_back(static_cast<int64_t>(indices.size()));
  }
  return std::make_shared<TorchSparse>(n, n, offsets, indices, values, device);
}

std::shared_ptr<const TorchSparse> mean_operator(const Csr& graph, const Device& device) {
  const std::vector<double> sums = row_sums(graph);
  std::vector<double> values(graph.edges());
  for (int64_t v = 0; v < graph.nodes(); ++v)
    for (int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e)
      values[e] = sums[v] > 0 ? weight_at(graph, e) / sums[v] : 0;
  return std::make_shared<TorchSparse>(graph.nodes(), graph.nodes(), graph.offsets.span(),
                                       graph.neighbors.span(), values, device);
}

std::shared_ptr<const TorchSparse> scaled_operator(const SparseMatrix& matrix,
                                                   const Normalization& scales,
                                                   const Device& device) {
  const auto at = [](const Array<float>& values, int64_t i, double otherwise) {
    return values.empty() ? otherwise : static_cast<double>(values[i]);
  };
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<double> values;
  for (int64_t v = 0; v < matrix.rows; ++v) {
    const double row = at(scales.row_scale, v, 1), own = at(scales.self_weight, v, 0);
    const auto put = [&](int32_t u, double weight) {
      indices.push_back(u);
      values.push_back(row * weight * at(scales.col_scale, u, 1));
    };
    for (int64_t e = matrix.offsets[v]; e < matrix.offsets[v + 1]; ++e)
      put(matrix.indices[e], at(matrix.values, e, 1));
    if (own != 0) put(static_cast<int32_t>(v), own);
    offsets.push_back(static_cast<int64_t>(indices.size()));
  }
  return std::make_shared<TorchSparse>(matrix.rows, matrix.columns, offsets, indices, values,
                                       device);
}

}  // namespace gs
