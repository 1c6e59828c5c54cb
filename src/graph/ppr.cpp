#include "graph/ppr.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "graph/normalize.h"

namespace gs {

namespace {

// What every seed's push needs to know of the graph.
struct Walk {
  const Csr& graph;
  std::vector<double> weight;  // one per row
  double unit = 1;             // mean weight of an entry

  explicit Walk(const Csr& graph) : graph(graph), weight(row_sums(graph)) {
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    if (total > 0) unit = total / static_cast<double>(graph.edges());
  }
  bool dangling(int32_t v) const { return !(weight[v] > 0); }
  double degree(int32_t v) const { return dangling(v) ? 1 : weight[v] / unit; }
};

// The push of one seed at a time. It reaches few nodes of a large graph, so they live in a hash
// table of its own (open addressing), which keeps a thread's memory independent of N.
class Push {
 public:
  Push(const Walk& walk, const PprOptions& options)
      : walk_(walk), options_(options), table_(64, kFree) {}

  PprScores run(int32_t seed) {
    clear();
    add(seed, 1);
    while (!next_.empty()) {
      now_.swap(next_);
      next_.clear();
      for (const int32_t place : now_) spread(place, seed);
    }
    return best();
  }

 private:
  static constexpr int32_t kFree = -1;
  struct Entry {
    int32_t node;
    bool queued = false;
    double score = 0, residual = 0;
  };

  void clear() {
    if (table_.size() > 8 * (entries_.size() + 64))
      table_.assign(64, kFree);  // after one seed with a wide reach
    else std::fill(table_.begin(), table_.end(), kFree);
    entries_.clear();
    next_.clear();
  }

  size_t slot_of(int32_t node) const {  // where `node` is, or belongs
    const size_t mask = table_.size() - 1;
    size_t slot = (static_cast<uint64_t>(node) * 0x9E3779B97F4A7C15 >> 32) & mask;
    while (table_[slot] != kFree && entries_[table_[slot]].node != node) slot = (slot + 1) & mask;
    return slot;
  }

  int32_t place_of(int32_t node) {
    size_t slot = slot_of(node);
    if (table_[slot] != kFree) return table_[slot];
    if (2 * (entries_.size() + 1) > table_.size()) {
      table_.assign(2 * table_.size(), kFree);
      for (size_t i = 0; i < entries_.size(); ++i)
        table_[slot_of(entries_[i].node)] = static_cast<int32_t>(i);
      slot = slot_of(node);
    }
    entries_.push_back({node});
    return table_[slot] = static_cast<int32_t>(entries_.size()) - 1;
  }

  void add(int32_t node, double amount) {
    const int32_t place = place_of(node);
    Entry& entry = entries_[place];
    entry.residual += amount;
    if (entry.queued || entry.residual <= options_.epsilon * walk_.degree(node)) return;
    entry.queued = true;
    next_.push_back(place);
  }

  void spread(int32_t place, int32_t seed) {
    Entry& entry = entries_[place];
    const int32_t v = entry.node;
    const double residual = std::exchange(entry.residual, 0);
    entry.score += options_.alpha * residual;
    entry.queued = false;
    const double rest = (1 - options_.alpha) * residual;
    if (rest <= 0) return;
    if (walk_.dangling(v)) return add(seed, rest);
    const auto row = walk_.graph.row(v);
    const auto weights = walk_.graph.row_weights(v);
    const double unit = rest / walk_.weight[v];
    for (size_t i = 0; i < row.size(); ++i)
      if (const double share = weights.empty() ? unit : unit * weights[i]; share > 0)
        add(row[i], share);
  }

  PprScores best() {
    std::erase_if(entries_, [](const Entry& entry) { return entry.score <= 0; });
    const auto better = [](const Entry& a, const Entry& b) {
      return a.score != b.score ? a.score > b.score : a.node < b.node;
    };
    size_t count = entries_.size();
    if (options_.top_k > 0) count = std::min<size_t>(count, static_cast<size_t>(options_.top_k));
    std::partial_sort(entries_.begin(), entries_.begin() + count, entries_.end(), better);
    PprScores out;
    for (size_t i = 0; i < count; ++i) {
      out.nodes.push_back(entries_[i].node);
      out.scores.push_back(static_cast<float>(entries_[i].score));
    }
    return out;
  }

  const Walk& walk_;
  const PprOptions& options_;
  std::vector<int32_t> table_;
  std::vector<Entry> entries_;
  std::vector<int32_t> now_, next_;  // places of entries whose residual is to be spread
};

}  // namespace

std::vector<PprScores> personalized_pagerank(const Csr& graph, std::span<const int32_t> seeds,
                                             const PprOptions& options) {
  if (!(options.alpha > 0 && options.alpha <= 1))
    fail_usage("alpha", fmt::format("{} is not a restart probability", options.alpha),
               "above 0 and at most 1");
  if (!(options.epsilon > 0))
    fail_usage("epsilon", fmt::format("{} is not above 0", options.epsilon), "try 1e-4");
  GS_ASSERT(options.top_k >= 0);
  for (const int32_t seed : seeds) GS_ASSERT(seed >= 0 && seed < graph.nodes());

  const Walk walk(graph);
  std::vector<PprScores> out(seeds.size());
  parallel_for(static_cast<int64_t>(seeds.size()), 1, [&](int64_t begin, int64_t end) {
    Push push(walk, options);
    for (int64_t i = begin; i < end; ++i) out[i] = push.run(seeds[i]);
  });
  return out;
}

}  // namespace gs
