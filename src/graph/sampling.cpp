#include "graph/sampling.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/memory.h"

namespace gs {

namespace {

constexpr int64_t kBlock = 1024;  // entries whose memory is fetched before it is read
constexpr int64_t kAhead = 16;    // rows whose offsets are fetched ahead
constexpr int64_t kLine = 16;     // ids of a cache line

// Random numbers of one row: Philox blocks at (block, row).
class RowStream {
 public:
  RowStream(uint64_t key, int64_t row) : key_(key), row_(static_cast<uint64_t>(row)) {}

  uint32_t bits() {
    if (used_ == 4) block_ = philox(key_, counter_++, row_), used_ = 0;
    return block_[used_++];
  }
  // Uniform in [0, bound), without bias (Lemire).
  uint32_t below(uint32_t bound) {
    uint64_t product = uint64_t{bits()} * bound;
    if (static_cast<uint32_t>(product) < bound) {
      const uint32_t threshold = -bound % bound;
      while (static_cast<uint32_t>(product) < threshold) product = uint64_t{bits()} * bound;
    }
    return static_cast<uint32_t>(product >> 32);
  }

 private:
  uint64_t key_, row_, counter_ = 0;
  PhiloxBlock block_{};
  uint32_t used_ = 4;
};

template <class T>
Array<T> as_array(std::shared_ptr<T[]> values, int64_t size) {
  const std::span<const T> view(values.get(), static_cast<size_t>(size));
  return Array<T>(std::move(values), view);
}

}  // namespace

NeighborSampler::NeighborSampler(const Csr& graph, std::span<const int32_t> seeds,
                                 SamplingWorkspace& workspace, std::span<const int64_t> numbers)
    : graph_(graph),
      workspace_(workspace),
      numbers_(numbers),
      found_(graph.nodes(), workspace.local) {
  for (const int32_t seed : seeds) {
    const bool first_time = found_.add(seed);
    GS_ASSERT(first_time);
  }
}

// Fills workspace.rows and the offsets of the result; returns the longest row.
int64_t NeighborSampler::measure_rows(int64_t fanout, int64_t* offsets) {
  const std::vector<int32_t>& nodes = found_.nodes();
  const auto count = static_cast<int64_t>(nodes.size());
  workspace_.rows.resize(nodes.size());
  int64_t longest = 0;
  offsets[0] = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(graph_.offsets.data() + nodes[i + kAhead]);
    const int64_t begin = graph_.offsets[nodes[i]], degree = graph_.offsets[nodes[i] + 1] - begin;
    workspace_.rows[i] = {begin, degree};
    offsets[i + 1] = offsets[i] + (fanout < 0 ? degree : std::min(degree, fanout));
    longest = std::max(longest, degree);
  }
  return longest;
}

// Floyd's method: a uniform set of `fanout` places below the degree, in as many draws.
void NeighborSampler::draw_uniform(const SamplingWorkspace::Row& row, int64_t fanout, uint64_t key,
                                   int64_t number, int64_t* chosen) {
  uint32_t* const marks = workspace_.marks.data();
  if (++workspace_.mark == 0) {  // after 2^32 rows the marks start again
    std::fill(workspace_.marks.begin(), workspace_.marks.end(), 0);
    workspace_.mark = 1;
  }
  const uint32_t mark = workspace_.mark;
  RowStream stream(key, number);
  for (int64_t last = row.degree - fanout; last < row.degree; ++last) {
    int64_t drawn = stream.below(static_cast<uint32_t>(last) + 1);
    if (marks[drawn] == mark) drawn = last;
    marks[drawn] = mark;
    *chosen++ = row.begin + drawn;
    __builtin_prefetch(graph_.neighbors.data() + row.begin + drawn);
  }
}

void NeighborSampler::draw_by_weight(const SamplingWorkspace::Row& row, int64_t fanout,
                                     uint64_t key, int64_t number, int64_t* chosen,
                                     float* weights) {
  auto& priorities = workspace_.priorities;
  priorities.resize(static_cast<size_t>(row.degree));
  RowStream stream(key, number);
  for (int64_t i = 0; i < row.degree; ++i) {
    const double uniform = (static_cast<double>(stream.bits()) + 1) * 0x1.0p-32;
    priorities[i] = {graph_.weights[row.begin + i] / uniform, static_cast<int32_t>(i)};
  }
  const auto next = priorities.begin() + fanout;
  using Priority = SamplingWorkspace::Priority;
  std::nth_element(priorities.begin(), next, priorities.end(),
                   [](const Priority& a, const Priority& b) {
                     return a.value != b.value ? a.value > b.value : a.place < b.place;
                   });
  std::sort(priorities.begin(), next,
            [](const Priority& a, const Priority& b) { return a.place < b.place; });
  const double most = std::numeric_limits<float>::max();
  const auto threshold = static_cast<float>(std::min(next->value, most));
  for (int64_t i = 0; i < fanout; ++i) {
    chosen[i] = row.begin + priorities[i].place;
    weights[i] = std::max(graph_.weights[chosen[i]], threshold);
  }
}

SampledRows NeighborSampler::hop(int64_t fanout, Neighbors how, const Random& random) {
  const auto rows = static_cast<int64_t>(found_.nodes().size());
  const bool weighted = graph_.weighted(), by_weight = weighted && how == Neighbors::weight;
  std::shared_ptr<int64_t[]> offsets = uninitialized<int64_t>(rows + 1);
  const int64_t longest = measure_rows(fanout, offsets.get());
  const bool whole = fanout < 0 || longest <= fanout;  // every row is taken as it is
  if (static_cast<int64_t>(workspace_.marks.size()) < longest)
    workspace_.marks.resize(static_cast<size_t>(longest));

  const int64_t entries = offsets[rows];
  std::shared_ptr<int32_t[]> neighbors = uninitialized<int32_t>(entries);
  std::shared_ptr<float[]> weights = uninitialized<float>(weighted ? entries : 0);
  const int32_t* const ids = graph_.neighbors.data();

  for (int64_t begin = 0, end = 0; begin < rows; begin = end) {
    const int64_t first = offsets[begin];
    while (end < rows && (end == begin || offsets[end] - first < kBlock)) ++end;
    const int64_t count = offsets[end] - first;
    if (static_cast<int64_t>(workspace_.chosen.size()) < count)
      workspace_.chosen.resize(static_cast<size_t>(count));
    int64_t* const chosen = workspace_.chosen.data();

    for (int64_t i = begin; i < end; ++i) {
      const SamplingWorkspace::Row& row = workspace_.rows[i];
      const int64_t at = offsets[i] - first, kept = offsets[i + 1] - offsets[i];
      if (kept == row.degree) {
        std::iota(chosen + at, chosen + at + kept, row.begin);
        for (int64_t k = 0; k < kept; k += kLine) __builtin_prefetch(ids + row.begin + k);
        if (weighted)
          std::copy_n(graph_.weights.data() + row.begin, kept, weights.get() + offsets[i]);
      } else if (by_weight) {
        draw_by_weight(row, kept, random.key(), number_of(i), chosen + at,
                       weights.get() + offsets[i]);
      } else {
        draw_uniform(row, kept, random.key(), number_of(i), chosen + at);
        for (int64_t k = at; weighted && k < at + kept; ++k)
          weights[first + k] = graph_.weights[chosen[k]];
      }
    }
    int32_t* const out = neighbors.get() + first;
    for (int64_t k = 0; k < count; ++k) {
      out[k] = ids[chosen[k]];
      __builtin_prefetch(found_.address(out[k]), 1);
    }
    for (int64_t k = 0; k < count; ++k) out[k] = found_.number(out[k]);
  }

  SampledRows result;
  if (!whole && !by_weight) {
    std::shared_ptr<float[]> factors = uninitialized<float>(rows);
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t kept = offsets[i + 1] - offsets[i], degree = workspace_.rows[i].degree;
      factors[i] = kept == degree ? 1 : static_cast<float>(degree) / static_cast<float>(kept);
    }
    result.factors = as_array(std::move(factors), rows);
  }
  result.offsets = as_array(std::move(offsets), rows + 1);
  result.neighbors = as_array(std::move(neighbors), entries);
  if (weighted) result.weights = as_array(std::move(weights), entries);
  return result;
}

}  // namespace gs
