#include "loader/saint_nodes.h"

#include <algorithm>
#include <numeric>

#include "graph/local_ids.h"

namespace gs {

namespace {

int32_t any_of(std::span<const int32_t> nodes, Random& random) {
  return nodes[random.below(nodes.size())];
}

std::vector<int32_t> nodes_with_entries(const Csr& graph) {
  std::vector<int32_t> out;
  for (int64_t v = 0; v < graph.nodes(); ++v)
    if (graph.degree(v) > 0) out.push_back(static_cast<int32_t>(v));
  return out;
}

std::vector<double> squared_columns(const Csr& graph, const Normalization& scales) {
  const auto at = [](const Array<float>& scale, int64_t i, double otherwise) {
    return scale.empty() ? otherwise : static_cast<double>(scale[i]);
  };
  std::vector<double> out(static_cast<size_t>(graph.nodes()));
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    const double row = at(scales.row_scale, v, 1);
    const auto add = [&](int64_t u, double weight) {
      const double entry = row * weight * at(scales.col_scale, u, 1);
      out[u] += entry * entry;
    };
    for (int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e)
      add(graph.neighbors[e], at(graph.weights, e, 1));
    add(v, at(scales.self_weight, v, 0));
  }
  return out;
}

}  // namespace

SaintNodes::SaintNodes(const Csr& graph, const Normalization& scales, const LoaderOptions& options)
    : graph_(graph),
      sampler_(options.saint_sampler),
      roots_(options.roots),
      walk_length_(options.walk_length) {
  bool some = true;
  if (sampler_ == SaintSampler::node) {
    cumulated_ = squared_columns(graph, scales);
    std::partial_sum(cumulated_.begin(), cumulated_.end(), cumulated_.begin());
    some = cumulated_.back() > 0;
  } else if (sampler_ == SaintSampler::edge) {
    reverse_ = reverse(graph);
    targets_ = nodes_with_entries(graph);
    sources_ = nodes_with_entries(reverse_);
    some = !targets_.empty();
  }
  if (!some)
    fail_data("--saint-sampler", "the graph has no edges to draw by",
              "use --saint-sampler walk, which needs none");
}

std::vector<int32_t> SaintNodes::draw(Random random, SubgraphWorkspace& workspace) const {
  LocalIds found(graph_.nodes(), workspace.local);
  const auto nodes = static_cast<uint64_t>(graph_.nodes());
  for (int64_t i = 0; i < roots_; ++i) {
    if (sampler_ == SaintSampler::walk) {
      auto v = static_cast<int32_t>(random.below(nodes));
      found.number(v);
      for (int64_t step = 0; step < walk_length_ && graph_.degree(v) > 0; ++step)
        found.number(v = any_of(graph_.row(v), random));
    } else if (sampler_ == SaintSampler::node) {
      const double draw = random.uniform() * cumulated_.back();
      const auto position = std::upper_bound(cumulated_.begin(), cumulated_.end(), draw);
      const auto last = static_cast<int64_t>(nodes) - 1;
      found.number(static_cast<int32_t>(std::min<int64_t>(position - cumulated_.begin(), last)));
    } else {
      // A uniform target and one of its entries is drawn in proportion to 1 / in-degree, and
      // likewise a uniform source. The two ends are chosen in proportion to their number of nodes.
      const bool by_target = random.below(targets_.size() + sources_.size()) < targets_.size();
      const int32_t v = any_of(by_target ? targets_ : sources_, random);
      found.number(v);
      found.number(any_of((by_target ? graph_ : reverse_).row(v), random));
    }
  }
  return found.take_nodes();
}

}  // namespace gs
