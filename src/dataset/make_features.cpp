#include "dataset/make_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "dataset/spectral.h"

namespace gs {
namespace {

SparseMatrix degree_features(const Csr& graph, int64_t width) {
  std::vector<int64_t> offsets(graph.nodes() + 1);
  std::iota(offsets.begin(), offsets.end(), int64_t{0});
  std::vector<int32_t> columns(graph.nodes());
  parallel_for(graph.nodes(), 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto step = std::lround(4 * std::log2(1 + static_cast<double>(graph.degree(i))));
      columns[i] = static_cast<int32_t>(std::min<int64_t>(step, width - 1));
    }
  });
  return {graph.nodes(), width, std::move(offsets), std::move(columns), {}};
}

DenseMatrix random_features(int64_t nodes, int64_t width, uint64_t seed) {
  std::vector<float> values(nodes * width);
  const Random random(seed);
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  parallel_for(nodes, 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Random row = random.fork("features", i);
      for (int64_t c = 0; c < width; ++c) {
        values[i * width + c] = static_cast<float>(scale * row.normal());
      }
    }
  });
  return {nodes, width, std::move(values)};
}

}  // namespace

Features make_features(MakeFeatures kind, const Csr& graph, int64_t width, uint64_t seed) {
  GS_ASSERT(width > 0);
  switch (kind) {
    case MakeFeatures::degree:
      return {degree_features(graph, width)};
    case MakeFeatures::random:
      return {random_features(graph.nodes(), width, seed)};
    case MakeFeatures::spectral:
      return {leading_eigenvectors(graph, width, seed)};
    case MakeFeatures::none:
      break;
  }
  fail_assertion("a kind of features to make", __FILE__, __LINE__);
}

}  // namespace gs
