#include "graph/normalize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"

namespace gs {

namespace {

constexpr int64_t kGrain = 1 << 13;

// 1 where node v has no loop of its own.
std::vector<float> missing_loops(const Csr& graph) {
  std::vector<float> missing(static_cast<size_t>(graph.nodes()));
  parallel_for(graph.nodes(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      const auto row = graph.row(v);
      missing[v] =
          std::binary_search(row.begin(), row.end(), static_cast<int32_t>(v)) ? 0.0f : 1.0f;
    }
  });
  return missing;
}

// `power` of every positive degree, 0 for the others. Tiny degrees must not scale to infinity.
template <class Power>
std::vector<float> scales(std::span<const double> degrees, Power power) {
  std::vector<float> out(degrees.size());
  for (size_t v = 0; v < out.size(); ++v) {
    const double scale = degrees[v] > 0 ? power(degrees[v]) : 0;
    out[v] = static_cast<float>(std::min<double>(scale, std::numeric_limits<float>::max()));
  }
  return out;
}

}  // namespace

std::vector<double> row_sums(const Csr& graph) {
  std::vector<double> sums(static_cast<size_t>(graph.nodes()));
  parallel_for_weighted(graph.offsets.span(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      if (!graph.weighted()) sums[v] = static_cast<double>(graph.degree(v));
      for (const float weight : graph.row_weights(v)) sums[v] += weight;
    }
  });
  return sums;
}

Normalization normalization(const Csr& graph, Norm norm) {
  if (norm == Norm::sum) return {};
  std::vector<double> degrees = row_sums(graph);
  if (norm == Norm::mean)
    return {scales(degrees, [](double degree) { return 1 / degree; }), {}, {}};

  std::vector<float> loops = missing_loops(graph);
  for (size_t v = 0; v < degrees.size(); ++v) degrees[v] += loops[v];
  const Array<float> scale = scales(degrees, [](double degree) { return 1 / std::sqrt(degree); });
  return {scale, scale, std::move(loops)};
}

}  // namespace gs
