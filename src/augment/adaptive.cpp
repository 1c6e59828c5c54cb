#include "augment/adaptive.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "graph/centrality.h"

namespace gs {

namespace {

// Importances below this count as this: their logarithms would dominate the mean.
constexpr double kLeastImportance = 1e-8;
constexpr int64_t kAdaptiveGrain = 1 << 10;

double log_of(double importance) { return std::log(std::max(importance, kLeastImportance)); }

float drop_probability(double s, double max, double mean, double base, double limit) {
  // Equal importances are all dropped with probability `base`.
  const double share = max > mean ? (max - s) / (max - mean) : 1;
  return static_cast<float>(std::clamp(share * base, 0.0, limit));
}

}  // namespace

std::vector<double> centrality_of(const Csr& graph, Centrality kind) {
  switch (kind) {
    case Centrality::degree:
      return degree_centrality(graph);
    case Centrality::pagerank:
      return pagerank_centrality(graph);
    case Centrality::eigenvector:
      return eigenvector_centrality(graph);
  }
  return {};
}

AdaptiveEdges::AdaptiveEdges(const Csr& graph, std::vector<double> centrality)
    : centrality_(std::move(centrality)) {
  max_ = log_of(0);
  double sum = 0;
  for (int64_t v = 0; v < graph.nodes(); ++v)
    for (const int32_t u : graph.row(v)) {
      const double s = importance(v, u);
      max_ = std::max(max_, s), sum += s;
    }
  mean_ = graph.edges() > 0 ? sum / static_cast<double>(graph.edges()) : max_;
}

double AdaptiveEdges::importance(int64_t v, int64_t u) const {
  return log_of((centrality_[v] + centrality_[u]) / 2);
}

std::vector<float> AdaptiveEdges::probabilities(const LayerGraph& part,
                                                std::span<const int64_t> nodes, double base,
                                                double limit) const {
  const SparseMatrix& m = part.matrix;
  const auto global = [&](int64_t i) { return nodes.empty() ? i : nodes[i]; };
  std::vector<float> out(static_cast<size_t>(m.indices.size()));
  parallel_for(m.rows, kAdaptiveGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v)
      for (int64_t e = m.offsets[v]; e < m.offsets[v + 1]; ++e)
        out[e] =
            drop_probability(importance(global(v), global(m.indices[e])), max_, mean_, base, limit);
  });
  return out;
}

std::vector<double> feature_importance(const Features& features,
                                       std::span<const double> centrality) {
  std::vector<double> out(static_cast<size_t>(features.width()));
  if (features.sparse()) {
    const SparseMatrix& m = features.sparse_matrix();
    for (int64_t v = 0; v < m.rows; ++v)
      for (int64_t e = m.offsets[v]; e < m.offsets[v + 1]; ++e)
        out[m.indices[e]] += centrality[v] * (m.values.empty() ? 1.0 : std::abs(m.values[e]));
    return out;
  }
  const DenseMatrix& m = features.dense_matrix();
  for (int64_t v = 0; v < m.rows; ++v) {
    const auto row = m.row(v);
    for (size_t c = 0; c < row.size(); ++c) out[c] += centrality[v] * std::abs(row[c]);
  }
  return out;
}

std::vector<float> feature_probabilities(std::span<const double> importance, double base,
                                         double limit) {
  double max = log_of(0), sum = 0;
  for (const double value : importance) max = std::max(max, log_of(value)), sum += log_of(value);
  const double mean = sum / static_cast<double>(std::max<size_t>(1, importance.size()));
  std::vector<float> out;
  for (const double value : importance)
    out.push_back(drop_probability(log_of(value), max, mean, base, limit));
  return out;
}

}  // namespace gs
