#include "dataset/agreement.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace gs {

namespace {

constexpr int64_t kPairs = 20000;

struct Edge {
  int32_t target, source;
};

// Where edge `position` of the graph's list goes and comes from.
Edge edge_at(const Csr& graph, int64_t position) {
  const auto offsets = graph.offsets.span();
  const auto after = std::upper_bound(offsets.begin(), offsets.end(), position);
  return {static_cast<int32_t>(after - offsets.begin() - 1), graph.neighbors[position]};
}

double product(const DenseMatrix& m, int32_t a, int32_t b) {
  const auto x = m.row(a), y = m.row(b);
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * y[i];
  return sum;
}

double product(const SparseMatrix& m, int32_t a, int32_t b) {
  double sum = 0;
  int64_t i = m.offsets[a], j = m.offsets[b];
  const int64_t i_end = m.offsets[a + 1], j_end = m.offsets[b + 1];
  const auto value = [&](int64_t at) { return m.values.empty() ? 1.0 : m.values[at]; };
  while (i < i_end && j < j_end) {
    if (m.indices[i] == m.indices[j]) sum += value(i++) * value(j++);
    else if (m.indices[i] < m.indices[j]) ++i;
    else ++j;
  }
  return sum;
}

int64_t count(const DenseMatrix& m, int32_t row) {
  const auto x = m.row(row);
  return static_cast<int64_t>(x.size()) - std::count(x.begin(), x.end(), 0.0F);
}

int64_t count(const SparseMatrix& m, int32_t row) { return m.offsets[row + 1] - m.offsets[row]; }

// Cosines of pairs of nodes, one after another. Nodes without features resemble no other.
template <class Matrix>
class Cosines {
 public:
  explicit Cosines(const Matrix& m) : matrix_(m) {}

  void add(int32_t a, int32_t b) {
    if (a == b) return;
    const double norms = product(matrix_, a, a) * product(matrix_, b, b);
    const double cosine = norms > 0 ? product(matrix_, a, b) / std::sqrt(norms) : 0;
    ++count_, sum_ += cosine, squares_ += cosine * cosine;
  }
  double mean() const { return count_ > 0 ? sum_ / count_ : 0; }
  double variance() const { return count_ > 0 ? squares_ / count_ - mean() * mean() : 0; }

 private:
  const Matrix& matrix_;
  double count_ = 0, sum_ = 0, squares_ = 0;
};

template <class Matrix>
FeatureAgreement measure(const Csr& graph, const Matrix& matrix) {
  Random random = Random(0).fork("agreement");
  const int64_t edges = graph.edges(), pairs = std::min(edges, kPairs);
  const auto draw = [&] {
    return edge_at(graph, static_cast<int64_t>(random.below(static_cast<uint64_t>(edges))));
  };
  Cosines<Matrix> neighbors(matrix), random_pairs(matrix);
  int64_t values = 0;
  Edge before = draw();
  for (int64_t i = 0; i < pairs; ++i) {
    const Edge edge = draw();
    neighbors.add(edge.target, edge.source);
    random_pairs.add(edge.target, before.source);
    const auto nodes = static_cast<uint64_t>(graph.nodes());
    values += count(matrix, static_cast<int32_t>(random.below(nodes)));
    before = edge;
  }
  FeatureAgreement out;
  out.values = static_cast<double>(values) / static_cast<double>(pairs);
  const double apart = 1 - random_pairs.mean();
  out.agreement = apart > 1e-9 ? (neighbors.mean() - random_pairs.mean()) / apart : 0;
  out.spread = random_pairs.variance() * static_cast<double>(matrix.columns);
  return out;
}

}  // namespace

FeatureAgreement feature_agreement(const Csr& graph, const Features& features) {
  if (graph.edges() == 0 || features.width() == 0) return {};
  return std::visit([&](const auto& matrix) { return measure(graph, matrix); }, features.matrix);
}

}  // namespace gs
