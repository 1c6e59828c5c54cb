#include "graph/centrality.h"

#include <cmath>

#include "base/parallel.h"
#include "graph/normalize.h"

namespace gs {

namespace {

constexpr int64_t kCentralityGrain = 1 << 12;
constexpr double kConverged = 1e-10;  // largest change of a step that ends an iteration

// sums[v] = sum over row v of weight times x.
void gather_sums(const Csr& graph, const std::vector<double>& x, std::vector<double>& sums) {
  parallel_for_weighted(graph.offsets.span(), kCentralityGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      const auto row = graph.row(v);
      const auto weights = graph.row_weights(v);
      double sum = 0;
      for (size_t i = 0; i < row.size(); ++i)
        sum += weights.empty() ? x[row[i]] : weights[i] * x[row[i]];
      sums[v] = sum;
    }
  });
}

double largest_change(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (size_t v = 0; v < a.size(); ++v) out = std::max(out, std::abs(a[v] - b[v]));
  return out;
}

}  // namespace

std::vector<double> degree_centrality(const Csr& graph) { return row_sums(graph); }

std::vector<double> pagerank_centrality(const Csr& graph, double damping, int64_t iterations) {
  const auto n = static_cast<double>(graph.nodes());
  const std::vector<double> out_weight = row_sums(reverse(graph));
  std::vector<double> rank(static_cast<size_t>(graph.nodes()), 1 / n), share(rank), next(rank);
  for (int64_t i = 0; i < iterations; ++i) {
    double stuck = 0;
    for (size_t v = 0; v < rank.size(); ++v) {
      share[v] = out_weight[v] > 0 ? rank[v] / out_weight[v] : 0;
      if (!(out_weight[v] > 0)) stuck += rank[v];
    }
    gather_sums(graph, share, next);
    for (double& value : next) value = damping * (value + stuck / n) + (1 - damping) / n;
    const bool converged = largest_change(rank, next) < kConverged / n;
    rank.swap(next);
    if (converged) break;
  }
  return rank;
}

std::vector<double> eigenvector_centrality(const Csr& graph, int64_t iterations) {
  const auto n = static_cast<double>(graph.nodes());
  std::vector<double> x(static_cast<size_t>(graph.nodes()), 1 / std::sqrt(n)), next(x);
  for (int64_t i = 0; i < iterations; ++i) {
    gather_sums(graph, x, next);
    double square = 0;
    for (size_t v = 0; v < x.size(); ++v) {
      next[v] += x[v];
      square += next[v] * next[v];
    }
    const double length = std::sqrt(square);
    if (!(length > 0) || !std::isfinite(length)) break;
    for (double& value : next) value /= length;
    const bool converged = largest_change(x, next) < kConverged;
    x.swap(next);
    if (converged) break;
  }
  return x;
}

}  // namespace gs
