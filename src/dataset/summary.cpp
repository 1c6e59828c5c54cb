#include "dataset/summary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.h"

namespace gs {

namespace {

constexpr int64_t kGrain = 1 << 16;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void count_degrees(const Csr& graph, Summary& out) {
  const int64_t nodes = graph.nodes();
  if (nodes == 0) return;
  std::vector<int64_t> degrees(static_cast<size_t>(nodes));
  for (int64_t v = 0; v < nodes; ++v) {
    degrees[v] = graph.degree(v);
    const auto bucket = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(degrees[v])));
    if (bucket >= out.degree_histogram.size()) out.degree_histogram.resize(bucket + 1);
    ++out.degree_histogram[bucket];
  }
  const auto [least, most] = std::ranges::minmax(degrees);
  out.min_degree = least, out.max_degree = most;
  out.mean_degree = static_cast<double>(graph.edges()) / static_cast<double>(nodes);
  const auto middle = degrees.begin() + (nodes - 1) / 2;
  std::nth_element(degrees.begin(), middle, degrees.end());
  out.median_degree = *middle;
}

// Weakly connected components by union-find; roots are the smallest ids, so that links only go
// down.
void count_components(const Csr& graph, Summary& out) {
  const int64_t nodes = graph.nodes();
  std::vector<int32_t> parent(static_cast<size_t>(nodes));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (int64_t v = 0; v < nodes; ++v) {
    int32_t own = root(static_cast<int32_t>(v));
    for (const int32_t u : graph.row(v)) {
      out.self_loops += u == v;
      if (graph.symmetric && u >= v) continue;
      const int32_t other = root(u);
      if (other == own) continue;
      parent[std::max(own, other)] = std::min(own, other);
      own = std::min(own, other);
    }
  }
  std::vector<int32_t> sizes(static_cast<size_t>(nodes));
  for (int64_t v = 0; v < nodes; ++v) ++sizes[root(static_cast<int32_t>(v))];
  for (const int32_t size : sizes) {
    out.components += size > 0;
    out.isolated += size == 1;
    out.largest_component = std::max<int64_t>(out.largest_component, size);
  }
}

// Edges into a node from other labeled nodes, and how many of them are alike (in part, for label
// sets).
struct LikeEdges {
  int64_t edges = 0;
  double alike = 0;
};

// `alike(v, u)` is in [0, 1], or negative where the edge does not count. By node, so that no thread
// count changes a sum.
template <class Alike>
std::vector<LikeEdges> compare_neighbors(const Dataset& data, const Alike& alike) {
  std::vector<LikeEdges> out(static_cast<size_t>(data.nodes()));
  parallel_for_weighted(data.graph.offsets.span(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      if (!data.labels.known(v)) continue;
      LikeEdges row;
      for (const int32_t u : data.graph.row(v)) {
        if (u == v || !data.labels.known(u)) continue;
        const double share = alike(v, u);
        if (share < 0) continue;
        ++row.edges;
        row.alike += share;
      }
      out[v] = row;
    }
  });
  return out;
}

double ratio(const LikeEdges& count) {
  return count.edges == 0 ? kNone : count.alike / static_cast<double>(count.edges);
}

LikeEdges total(const std::vector<LikeEdges>& rows) {
  LikeEdges sum;
  for (const auto& row : rows) sum.edges += row.edges, sum.alike += row.alike;
  return sum;
}

// The class-balanced form is that of Lim et al. (2021): how far each class's own share of edges
// exceeds its share of nodes, averaged, so that a graph of one large class and random edges scores
// 0.
void measure_single(const Dataset& data, Summary& out) {
  const Labels& labels = data.labels;
  const auto rows = compare_neighbors(
      data, [&](int64_t v, int64_t u) { return labels.single[u] == labels.single[v] ? 1.0 : 0.0; });
  out.edge_homophily = ratio(total(rows));
  if (labels.classes < 2 || std::isnan(out.edge_homophily)) return;
  std::vector<LikeEdges> by_class(static_cast<size_t>(labels.classes));
  for (int64_t v = 0; v < data.nodes(); ++v) {
    if (rows[v].edges == 0) continue;
    LikeEdges& sum = by_class[labels.single[v]];
    sum.edges += rows[v].edges, sum.alike += rows[v].alike;
  }
  const auto labeled = static_cast<double>(data.nodes() - out.unlabeled);
  out.class_homophily = 0;
  for (int64_t c = 0; c < labels.classes; ++c) {
    if (by_class[c].edges == 0) continue;
    out.class_homophily +=
        std::max(0.0, ratio(by_class[c]) - static_cast<double>(out.class_counts[c]) / labeled);
  }
  out.class_homophily /= static_cast<double>(labels.classes - 1);
}

// Label sets: an edge counts by the overlap of its two sets (common over joint).
void measure_multi(const Dataset& data, Summary& out) {
  const Labels& labels = data.labels;
  out.edge_homophily = ratio(total(compare_neighbors(data, [&](int64_t v, int64_t u) {
    const uint8_t *own = labels.multi.data() + v * labels.classes,
                  *other = labels.multi.data() + u * labels.classes;
    int64_t common = 0, joint = 0;
    for (int64_t c = 0; c < labels.classes; ++c)
      common += own[c] & other[c], joint += own[c] | other[c];
    return joint == 0 ? -1.0 : static_cast<double>(common) / static_cast<double>(joint);
  })));
}

void count_classes(const Labels& labels, int64_t nodes, Summary& out) {
  out.unlabeled = nodes - labels.known_count();
  if (labels.task == Task::none) return;
  out.class_counts.assign(static_cast<size_t>(labels.classes), 0);
  for (int64_t v = 0; v < nodes; ++v) {
    if (!labels.known(v)) continue;
    if (labels.task != Task::multilabel) {
      ++out.class_counts[labels.single[v]];
      continue;
    }
    for (int64_t c = 0; c < labels.classes; ++c)
      out.class_counts[c] += labels.multi[v * labels.classes + c];
  }
}

}  // namespace

Summary summarize(const Dataset& data) {
  Summary out;
  const Csr& graph = data.graph;
  out.nodes = graph.nodes();
  out.edges = graph.edges();
  out.raw_edges = data.raw_edges;
  out.directed = !graph.symmetric;
  out.weighted = graph.weighted();
  count_degrees(graph, out);
  count_components(graph, out);
  count_classes(data.labels, out.nodes, out);
  out.edge_homophily = out.class_homophily = kNone;
  if (data.labels.task == Task::multilabel) measure_multi(data, out);
  else if (data.labels.task != Task::none) measure_single(data, out);
  const double cells =
      static_cast<double>(data.features.rows()) * static_cast<double>(data.features.width());
  out.feature_density = cells > 0 ? static_cast<double>(data.features.nonzeros()) / cells : 0;
  out.graph_bytes = graph.bytes();
  out.feature_bytes = data.features.bytes();
  return out;
}

}  // namespace gs
