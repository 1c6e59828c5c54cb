#include "graph/stream_partition.h"

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace gs {

namespace {

constexpr int64_t kPasses = 12;
constexpr int64_t kReport = 1 << 16;  // nodes between two reports of progress

class Stream {
 public:
  Stream(const Csr& graph, int64_t parts, std::span<int32_t> part)
      : graph_(graph),
        part_(part),
        sizes_(static_cast<size_t>(parts)),
        shared_(static_cast<size_t>(parts)),
        most_(std::max((graph.nodes() + parts - 1) / parts, graph.nodes() * 105 / (100 * parts))) {
    std::ranges::fill(part_, -1);
  }

  // Places node v where most of its neighbors are, less so the fuller a part is. Returns whether it
  // moved.
  bool place(int64_t v) {
    const int32_t before = part_[v];
    if (before >= 0) --sizes_[before];
    for (const int32_t u : graph_.row(v)) {
      const int32_t p = part_[u];
      if (u == v || p < 0) continue;
      if (shared_[p]++ == 0) touched_.push_back(p);
    }
    int32_t best = -1;
    double best_score = 0;
    for (const int32_t p : touched_) {
      const double score = static_cast<double>(shared_[p]) * static_cast<double>(most_ - sizes_[p]);
      const bool wins =
          score > best_score || (score == best_score && score > 0 && better_tie(p, best, before));
      if (wins) best = p, best_score = score;
      shared_[p] = 0;
    }
    touched_.clear();
    // No neighbor is placed, or their parts are full.
    if (best < 0) best = before >= 0 && sizes_[before] < most_ ? before : least();
    part_[v] = best;
    ++sizes_[best];
    return best != before;
  }

 private:
  // Of two parts with the same score a node stays where it is, or takes the lower number.
  static bool better_tie(int32_t p, int32_t best, int32_t before) {
    return best != before && (p == before || p < best);
  }
  int32_t least() const {
    return static_cast<int32_t>(std::ranges::min_element(sizes_) - sizes_.begin());
  }

  const Csr& graph_;
  std::span<int32_t> part_;
  std::vector<int64_t> sizes_, shared_;
  std::vector<int32_t> touched_;
  int64_t most_;
};

}  // namespace

void stream_partition(const Csr& graph, int64_t parts, std::span<int32_t> part,
                      Progress& progress) {
  const int64_t nodes = graph.nodes();
  GS_ASSERT(parts >= 1 && parts <= nodes && std::ssize(part) == nodes);
  Stream stream(graph, parts, part);
  progress.start("partitioning", kPasses * nodes, "nodes");
  for (int64_t pass = 0; pass < kPasses; ++pass) {
    int64_t moved = 0;
    for (int64_t v = 0; v < nodes; ++v) {
      moved += stream.place(v);
      if (v % kReport == kReport - 1) progress.advance(kReport);
    }
    progress.advance(nodes % kReport);
    if (moved == 0) break;
  }
  progress.finish();
}

}  // namespace gs
