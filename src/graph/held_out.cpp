#include "graph/held_out.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace gs {

namespace {

constexpr int kTries = 1000;  // draws of a non-neighbor before a graph counts as too dense

constexpr int64_t kNone = -1;

// The entry of u -> v, which is in row v: that lists those v hears from.
int64_t entry_of(const Csr& graph, int32_t from, int32_t to) {
  const auto row = graph.row(to);
  const auto at = std::lower_bound(row.begin(), row.end(), from);
  return at != row.end() && *at == from ? graph.offsets[to] + (at - row.begin()) : kNone;
}

bool joined(const Csr& graph, int32_t a, int32_t b) {  // in either direction
  return entry_of(graph, a, b) != kNone || (!graph.symmetric && entry_of(graph, b, a) != kNone);
}

// An entry of each pair that is joined, whichever way: where both ways are there, the one from the
// lower number.
std::vector<int64_t> pair_entries(const Csr& graph) {
  std::vector<int64_t> out;
  for (int32_t v = 0; v < graph.nodes(); ++v)
    for (int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const int32_t u = graph.neighbors[e];
      if (u < v || (u > v && !graph.symmetric && entry_of(graph, v, u) == kNone)) out.push_back(e);
    }
  return out;
}

// Moves `count` entries drawn without replacement to the front.
void draw_to_front(std::vector<int64_t>& entries, size_t first, size_t count, Random& random) {
  for (size_t i = first; i < first + count; ++i)
    std::swap(entries[i], entries[i + random.below(entries.size() - i)]);
}

NodePair pair_of(const Csr& graph, int64_t entry) {
  const auto after = std::upper_bound(graph.offsets.begin(), graph.offsets.end(), entry);
  return {graph.neighbors[entry], static_cast<int32_t>(after - graph.offsets.begin() - 1)};
}

std::vector<NodePair> not_joined(const Csr& graph, size_t count, Random random) {
  const auto nodes = static_cast<uint64_t>(graph.nodes());
  std::vector<NodePair> out;
  while (out.size() < count) {
    int tries = 0;
    NodePair pair;
    do {
      if (++tries > kTries)
        fail_data("graph",
                  "nearly all nodes are joined, so there are too few pairs without an edge",
                  "link prediction needs a sparser graph");
      pair = {static_cast<int32_t>(random.below(nodes)), static_cast<int32_t>(random.below(nodes))};
    } while (pair.from == pair.to || joined(graph, pair.from, pair.to));
    out.push_back(pair);
  }
  return out;
}

Csr without(const Csr& graph, const std::vector<NodePair>& pairs) {
  std::vector<char> gone(static_cast<size_t>(graph.edges()));
  const auto take = [&](int32_t from, int32_t to) {
    const int64_t entry = entry_of(graph, from, to);
    if (entry != kNone) gone[static_cast<size_t>(entry)] = 1;
  };
  for (const NodePair& pair : pairs) take(pair.from, pair.to), take(pair.to, pair.from);
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> neighbors;
  std::vector<float> weights;
  for (int64_t v = 0; v < graph.nodes(); ++v) {
    for (int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      if (gone[static_cast<size_t>(e)]) continue;
      neighbors.push_back(graph.neighbors[e]);
      if (graph.weighted()) weights.push_back(graph.weights[e]);
    }
    offsets.push_back(static_cast<int64_t>(neighbors.size()));
  }
  return {std::move(offsets), std::move(neighbors), std::move(weights), graph.symmetric};
}

}  // namespace

HeldOut hold_out(const Csr& graph, double share, int64_t most, Random random) {
  std::vector<int64_t> entries = pair_entries(graph);
  const auto pairs = static_cast<int64_t>(entries.size());
  if (pairs < 2)
    fail_data("graph", "has too few edges to hold some out", "link prediction needs at least two");
  const int64_t wanted = std::llround(share * static_cast<double>(pairs));
  const int64_t count = std::clamp<int64_t>(wanted, 1, std::min(most, pairs - 1));
  const int64_t rest = std::min(pairs - count, std::min(most, 2 * count));
  Random order = random.fork("edges");
  draw_to_front(entries, 0, static_cast<size_t>(count + rest), order);
  HeldOut out;
  out.share = static_cast<double>(count) / static_cast<double>(pairs);
  for (int64_t i = 0; i < count + rest; ++i)
    (i < count ? out.positive : out.known)
        .push_back(pair_of(graph, entries[static_cast<size_t>(i)]));
  out.negative = not_joined(graph, out.positive.size(), random.fork("negative"));
  out.unknown = not_joined(graph, out.known.size(), random.fork("unknown"));
  out.graph = without(graph, out.positive);
  return out;
}

std::vector<int32_t> non_neighbors(const Csr& graph, int32_t from, int64_t count, Random random) {
  std::vector<int32_t> out;
  int64_t tries = 0;
  while (static_cast<int64_t>(out.size()) < count && ++tries < kTries * count) {
    const auto to = static_cast<int32_t>(random.below(static_cast<uint64_t>(graph.nodes())));
    if (to != from && !joined(graph, from, to)) out.push_back(to);
  }
  return out;
}

}  // namespace gs
