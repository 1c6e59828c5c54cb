// Edges into sorted rows. Count the entries of each row, scan the counts, scatter every entry
// straight into the array that becomes the result, then sort and merge each row in place and close
// the gaps. An entry is a key: the id, and in its lowest bit whether the list had it the other way
// round. The order in which threads scatter does not matter, since rows are sorted by key and
// weight before anything is merged.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "base/error.h"
#include "base/parallel.h"
#include "graph/csr.h"
#include "graph/scatter.h"
#include "graph/sort_row.h"

namespace gs {

namespace {

constexpr int64_t kGrain = 1 << 13, kMergeGrain = 1 << 18;

struct MergeRule {
  bool coalesce = true;
  bool both_ways = false;  // keys of both directions are there
};

// Sorts and merges single rows; one per thread, for the scratch memory.
class RowMerger {
 public:
  RowMerger(Slots& slots, MergeRule rule)
      : slots_(slots),
        rule_(rule),
        id_bits_(std::bit_width(static_cast<uint64_t>(slots.nodes())) + 1) {}

  // Leaves row v at slots [out, ...), which must not reach past the row's own begin; returns its
  // length.
  int64_t merge(int32_t v, int64_t out) {
    int64_t begin = slots_.ends[v] + slots_.spare;
    const int64_t end = slots_.ends[v + 1];
    if (slots_.spare && !has_loop(v, begin, end)) {
      --begin;
      slots_.keys[begin] = static_cast<uint32_t>(v) << 1;
      if (slots_.weighted) slots_.weights[begin] = 1;
    }
    if (slots_.weighted || (rule_.both_ways && !rule_.coalesce))
      return merge_pairs(v, begin, end, out);
    return merge_keys(begin, end, out);
  }
  int64_t duplicates() const { return duplicates_; }

 private:
  bool has_loop(int32_t v, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (slots_.keys[i] >> 1 == static_cast<uint32_t>(v)) return true;
    return false;
  }

  int64_t merge_keys(int64_t begin, int64_t end, int64_t out) {
    const std::span row(slots_.keys.data() + begin, static_cast<size_t>(end - begin));
    sort_row(row, key_scratch_, rule_.both_ways ? 0 : 1, id_bits_);
    uint32_t* at = slots_.keys.data() + out;
    uint32_t previous = UINT32_MAX;  // no key: ids stop at 2^31 - 2
    for (const uint32_t key : row) {
      if (!rule_.coalesce || (key ^ previous) > 1) *at++ = key >> 1;
      duplicates_ += rule_.coalesce && key == previous && !(key & 1);
      previous = key;
    }
    return at - slots_.keys.data() - out;
  }

  // Key above, weight's bits below: as weights are not negative, integer order is the order by key,
  // then weight.
  int64_t merge_pairs(int32_t v, int64_t begin, int64_t end, int64_t out) {
    pairs_.resize(static_cast<size_t>(end - begin));
    for (int64_t i = begin; i < end; ++i)
      pairs_[i - begin] = uint64_t{slots_.keys[i]} << 32 |
                          (slots_.weighted ? std::bit_cast<uint32_t>(slots_.weights[i]) : 0);
    sort_row<uint64_t>(pairs_, pair_scratch_, 32, 32 + id_bits_);

    const int64_t start = out;
    const auto emit = [&](uint64_t id, float weight) {
      slots_.keys[out] = static_cast<uint32_t>(id);
      if (slots_.weighted) slots_.weights[out] = weight;
      ++out;
    };
    for (size_t i = 0, turned, next; i < pairs_.size(); i = next) {
      const uint64_t id = pairs_[i] >> 33;
      for (next = i + 1; next < pairs_.size() && pairs_[next] >> 33 == id;) ++next;
      if (next - i > 1) std::sort(pairs_.begin() + i, pairs_.begin() + next);
      for (turned = i; turned < next && !(pairs_[turned] >> 32 & 1);) ++turned;
      if (rule_.coalesce) {
        emit(id, std::max(sum(i, turned, id, v), sum(turned, next, id, v)));
        duplicates_ += std::max<int64_t>(0, static_cast<int64_t>(turned - i) - 1);
      } else {  // pair up the heaviest of both directions, the next heaviest and so on
        for (size_t rank = std::max(turned - i, next - turned); rank-- > 0;)
          emit(id, std::max(rank < turned - i ? weight(turned - 1 - rank) : 0.0f,
                            rank < next - turned ? weight(next - 1 - rank) : 0.0f));
      }
    }
    return out - start;
  }

  float weight(size_t i) const { return std::bit_cast<float>(static_cast<uint32_t>(pairs_[i])); }
  float sum(size_t begin, size_t end, uint64_t id, int32_t v) const {
    double total = 0;
    for (size_t i = begin; i < end; ++i) total += weight(i);
    const auto result = static_cast<float>(total);
    if (!std::isfinite(result))
      fail_data(fmt::format("edge {} -> {}", id, v),
                "the weights of its duplicates add up to more than a float holds",
                "scale the weights down");
    return result;
  }

  Slots& slots_;
  MergeRule rule_;
  int id_bits_;
  int64_t duplicates_ = 0;
  std::vector<uint32_t> key_scratch_;
  std::vector<uint64_t> pairs_, pair_scratch_;
};

// Every slot filled: sorts, merges and closes the gaps.
Csr merge_rows(Slots slots, MergeRule rule, int64_t* duplicates = nullptr) {
  struct Piece {  // rows from `row` on, closed up at slot `begin`
    int64_t row, begin, size, duplicates;
  };
  std::vector<int64_t> offsets(slots.ends.size());
  std::vector<Piece> pieces;
  std::mutex pieces_mutex;
  parallel_for_weighted(slots.ends, kMergeGrain, [&](int64_t begin, int64_t end) {
    RowMerger merger(slots, rule);
    int64_t out = slots.ends[begin];
    for (int64_t v = begin; v < end; ++v)
      out += offsets[v + 1] = merger.merge(static_cast<int32_t>(v), out);
    const std::lock_guard lock(pieces_mutex);
    pieces.push_back({begin, slots.ends[begin], out - slots.ends[begin], merger.duplicates()});
  });
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.row < b.row; });

  int64_t size = 0;
  for (const Piece& piece : pieces) {
    if (piece.begin != size) {
      std::memmove(&slots.keys[size], &slots.keys[piece.begin], piece.size * sizeof(uint32_t));
      if (slots.weighted)
        std::memmove(&slots.weights[size], &slots.weights[piece.begin], piece.size * sizeof(float));
    }
    size += piece.size;
    if (duplicates) *duplicates += piece.duplicates;
  }
  slots.keys.resize(size);
  if (slots.weighted) slots.weights.resize(size);
  for (size_t v = 1; v < offsets.size(); ++v) offsets[v] += offsets[v - 1];

  Csr graph;
  graph.offsets = std::move(offsets);
  graph.neighbors = slots.keys.share<int32_t>();
  if (slots.weighted) graph.weights = slots.weights.share();
  return graph;
}

// Data Error naming the first entry that cannot be.
void check_entries(const EdgeList& edges) {
  const auto bad_ids = [nodes = static_cast<uint32_t>(edges.nodes), source = edges.source.data(),
                        target = edges.target.data()](int64_t i) {
    return (static_cast<uint32_t>(source[i]) >= nodes) |
           (static_cast<uint32_t>(target[i]) >= nodes);
  };
  const auto bad_weight = [&](int64_t i) {
    return !(edges.weight[i] >= 0 && edges.weight[i] <= std::numeric_limits<float>::max());
  };
  constexpr int64_t kCheckGrain = 1 << 17;  // it takes less than a nanosecond an entry
  parallel_for(edges.size(), kCheckGrain, [&](int64_t begin, int64_t end) {
    int32_t bad = 0;
    for (int64_t i = begin; i < end; ++i) bad |= static_cast<int32_t>(bad_ids(i));
    if (!edges.weight.empty())
      for (int64_t i = begin; i < end; ++i) bad |= bad_weight(i);
    for (int64_t i = begin; bad && i < end; ++i) {
      const std::string place = fmt::format("edge {}", i);
      if (bad_ids(i))
        fail_data(place,
                  fmt::format("{} -> {} is not between nodes of this graph, which has {}",
                              edges.source[i], edges.target[i], edges.nodes),
                  "node ids count from 0 and must be below the number of nodes");
      if (!edges.weight.empty() && bad_weight(i))
        fail_data(place, fmt::format("the weight is {}", edges.weight[i]),
                  "edge weights must be finite and not negative");
    }
  });
}

// Counts every row's entries; returns the number of self-loops in the list.
int64_t count_rows(const EdgeList& edges, const BuildOptions& options, Slots& slots) {
  if (fits_cache(slots, edges.size() * 2)) {
    int64_t loops = 0;
    const bool drop = options.self_loops == SelfLoops::drop;
    for (int64_t i = 0; i < edges.size(); ++i) {
      const int32_t u = edges.source[i], v = edges.target[i];
      loops += u == v;
      slots.ends[v + 1] += u != v || !drop;
      slots.ends[u + 1] += u != v && options.symmetrize;
    }
    return loops;
  }
  std::atomic<int64_t> loops = 0;
  parallel_for(edges.size(), kGrain, [&](int64_t begin, int64_t end) {
    int64_t loops_here = 0;
    for (int64_t i = begin; i < end; ++i) {
      if (i + kCountAhead < end) {
        expect_count(slots, edges.target[i + kCountAhead]);
        if (options.symmetrize) expect_count(slots, edges.source[i + kCountAhead]);
      }
      const int32_t u = edges.source[i], v = edges.target[i];
      loops_here += u == v;
      if (u != v || options.self_loops != SelfLoops::drop) count_entry(slots, v);
      if (u != v && options.symmetrize) count_entry(slots, u);
    }
    loops += loops_here;
  });
  return loops;
}

// Gives the memory of values[begin, end) back to the system at once; they are not to be read again.
template <class T>
void release(std::vector<T>& values, int64_t begin, int64_t end) {
  if (values.empty()) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<uintptr_t>(values.data() + begin) + page - 1) / page * page;
  const auto last = reinterpret_cast<uintptr_t>(values.data() + end) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

// Uses up the list.
template <class Entry>
void scatter_rows(EdgeList& edges, const BuildOptions& options, Slots& slots) {
  const auto visit = [&](int64_t begin, int64_t end, auto emit) {
    for (int64_t i = begin; i < end; ++i) {
      const int32_t u = edges.source[i], v = edges.target[i];
      const float weight = slots.weighted ? edges.weight[i] + 0.0f : 0;  // -0 becomes 0
      if (u != v || options.self_loops != SelfLoops::drop)
        emit(v, static_cast<uint32_t>(u) << 1, weight);
      if (u != v && options.symmetrize) emit(u, static_cast<uint32_t>(v) << 1 | 1, weight);
    }
  };
  int64_t released = 0;
  scatter<Entry>(slots, edges.size(), options.symmetrize ? 2 : 1, visit, [&](int64_t end) {
    release(edges.source, released, end);
    release(edges.target, released, end);
    release(edges.weight, released, end);
    released = end;
  });
  edges = {};
}

template <class Entry>
void scatter_reversed(const Csr& graph, Slots& slots) {
  const auto visit = [&](int64_t begin, int64_t end, auto emit) {
    const auto after = std::upper_bound(graph.offsets.begin(), graph.offsets.end(), begin);
    auto v = static_cast<int32_t>(after - graph.offsets.begin() - 1);
    for (int64_t i = begin; i < end; ++i) {
      while (i >= graph.offsets[v + 1]) ++v;
      emit(graph.neighbors[i], static_cast<uint32_t>(v) << 1,
           slots.weighted ? graph.weights[i] : 0);
    }
  };
  scatter<Entry>(slots, graph.edges(), 1, visit, [](int64_t) {});
}

}  // namespace

Csr build_csr(EdgeList edges, const BuildOptions& options, BuildCounts* counts) {
  GS_ASSERT(edges.target.size() == edges.source.size());
  GS_ASSERT(edges.weight.empty() || edges.weight.size() == edges.source.size());

  check_node_count(edges.nodes, "edge list");
  check_entries(edges);

  Slots slots(edges.nodes, options.self_loops == SelfLoops::add, !edges.weight.empty());
  const int64_t loops = count_rows(edges, options, slots);
  slots.allocate();
  if (slots.weighted) scatter_rows<WeightedEntry>(edges, options, slots);
  else scatter_rows<PlainEntry>(edges, options, slots);

  int64_t duplicates = 0;
  Csr graph = merge_rows(std::move(slots), {options.coalesce, options.symmetrize}, &duplicates);
  graph.symmetric = options.symmetrize || is_symmetric(graph);
  if (counts) *counts = {options.self_loops == SelfLoops::drop ? loops : 0, duplicates};
  return graph;
}

Csr reverse(const Csr& graph) {
  if (graph.symmetric) return graph;
  Slots slots(graph.nodes(), false, graph.weighted());
  parallel_for(graph.edges(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (i + kCountAhead < end) expect_count(slots, graph.neighbors[i + kCountAhead]);
      count_entry(slots, graph.neighbors[i]);
    }
  });
  slots.allocate();
  if (slots.weighted) scatter_reversed<WeightedEntry>(graph, slots);
  else scatter_reversed<PlainEntry>(graph, slots);
  return merge_rows(std::move(slots), {.coalesce = false});
}

}  // namespace gs
