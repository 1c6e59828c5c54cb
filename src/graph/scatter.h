// Moves entries (row, key, weight), met in any order, into one array row by row: the heart of
// building a CSR and of reversing one. Going straight to the rows would miss the cache on every
// entry, so a chunk of entries is first gathered by range of rows; each range then fits a core's
// cache and belongs to one thread, without atomics.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "graph/buffer.h"

namespace gs {

// Row v occupies slots [ends[v], ends[v + 1]) once all is scattered; before that ends[v + 1] is
// where its next entry goes. The first `spare` slots of a row are left free.
struct Slots {
  std::vector<int64_t> ends;
  Buffer<uint32_t> keys;
  Buffer<float> weights;
  int64_t spare = 0;
  bool weighted = false;

  Slots(int64_t nodes, bool with_spare, bool with_weights)
      : ends(static_cast<size_t>(nodes) + 1), spare(with_spare), weighted(with_weights) {}

  int64_t nodes() const { return static_cast<int64_t>(ends.size()) - 1; }

  void allocate() {  // once ends[v + 1] holds the number of entries of row v
    int64_t total = 0;
    for (int64_t v = 0; v < nodes(); ++v) {
      total += spare;
      total += std::exchange(ends[v + 1], total);
    }
    keys = Buffer<uint32_t>(total);
    if (weighted) weights = Buffer<float>(total);
  }
};

struct PlainEntry {
  int32_t row;
  uint32_t key;

  PlainEntry(int32_t row, uint32_t key, float) : row(row), key(key) {}
  void put(Slots& slots) const { slots.keys[slots.ends[row + 1]++] = key; }
};

struct WeightedEntry {
  int32_t row;
  uint32_t key;
  float weight;

  void put(Slots& slots) const {
    const int64_t at = slots.ends[row + 1]++;
    slots.keys[at] = key;
    slots.weights[at] = weight;
  }
};

// Whether rows and entries are so few that one core's cache holds them: then a single thread that
// goes straight to the rows is through before others have begun.
inline bool fits_cache(const Slots& slots, int64_t entries) {
  constexpr int64_t kFewRows = 1 << 16, kFewEntries = 1 << 19;
  return slots.nodes() <= kFewRows && entries <= kFewEntries;
}

// One more entry in `row`; threads may count at the same time.
inline void count_entry(Slots& slots, int32_t row) {
  std::atomic_ref(slots.ends[row + 1]).fetch_add(1, std::memory_order_relaxed);
}
// An atomic increment waits for its cache line: ask for those of the rows to come.
constexpr int64_t kCountAhead = 32;
inline void expect_count(const Slots& slots, int32_t row) {
  __builtin_prefetch(&slots.ends[row + 1], 1);
}

// Items [0, items) hold entries: visit(begin, end, emit) calls emit(row, key, weight) for each of
// those in the range, the same ones every time. done(end) says that items below `end` are not
// needed any more; it is in this thread.
template <class Entry, class Visit, class Done>
void scatter(Slots& slots, int64_t items, int64_t most_per_item, const Visit& visit,
             const Done& done) {
  constexpr int64_t kRangeRows = 1 << 14, kMostRanges = 1 << 10, kAhead = 16;
  constexpr int64_t kFirstChunk = 1 << 16, kLargestChunk = 1 << 23, kPartItems = 1 << 13;
  if (fits_cache(slots, items * most_per_item)) {
    visit(0, items, [&](int32_t row, uint32_t key, float weight) {
      Entry{row, key, weight}.put(slots);
    });
    done(items);
    return;
  }
  int shift = std::bit_width(static_cast<uint64_t>(kRangeRows)) - 1;
  while ((slots.nodes() >> shift) >= kMostRanges) ++shift;
  const int64_t ranges = (slots.nodes() >> shift) + 1;

  // Allocated at the largest size at once: untouched memory costs nothing, and growing could copy.
  Buffer<Entry> gathered(std::min(items, kLargestChunk) * most_per_item);
  for (int64_t begin = 0, end; begin < items; begin = end) {
    // The gathered copy of a chunk is larger than its part of the input; growing with what is
    // done() already, all of it together stays about as large as the input was.
    end = std::min(items, begin + std::clamp(begin / 2, kFirstChunk, kLargestChunk));
    const int64_t parts = std::clamp<int64_t>((end - begin) / kPartItems, 1, 4 * threads());
    const auto cut = [&](int64_t part) { return begin + (end - begin) * part / parts; };

    // places[part * ranges + range]: how many entries, then where the next of them goes.
    std::vector<int64_t> places(static_cast<size_t>(parts * ranges)),
        range_ends(static_cast<size_t>(ranges) + 1);
    parallel_for(parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        int64_t* count = &places[part * ranges];
        visit(cut(part), cut(part + 1),
              [&](int32_t row, uint32_t, float) { ++count[row >> shift]; });
      }
    });
    int64_t total = 0;
    for (int64_t range = 0; range < ranges; ++range) {
      for (int64_t part = 0; part < parts; ++part)
        total += std::exchange(places[part * ranges + range], total);
      range_ends[range + 1] = total;
    }

    parallel_for(parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        int64_t* place = &places[part * ranges];
        visit(cut(part), cut(part + 1), [&](int32_t row, uint32_t key, float weight) {
          gathered[place[row >> shift]++] = Entry{row, key, weight};
        });
      }
    });
    done(end);
    parallel_for_weighted(range_ends, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = range_ends[first]; i < range_ends[last]; ++i) {
        if (i + kAhead < range_ends[last])
          __builtin_prefetch(&slots.keys[slots.ends[gathered[i + kAhead].row + 1]], 1);
        gathered[i].put(slots);
      }
    });
  }
}

}  // namespace gs
