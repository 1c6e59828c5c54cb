#include "dataset/generate/pairs.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/parallel.h"
#include "dataset/scramble.h"

namespace gs {

namespace {

constexpr int64_t kDrawBlock = int64_t{1} << 18;
constexpr int64_t kBucketPairs = int64_t{1} << 16;
constexpr int64_t kMostBuckets = 4096;
// After these the heavy pairs are exhausted, and any pair will do.
constexpr int kWeightedRounds = 24;
constexpr double kOverdraw = 1.03, kLeastYield = 0.05;

// A set of pairs, cut by their smaller node into buckets that are sorted and handled one by one.
class PairSet {
 public:
  PairSet(int64_t nodes, int64_t expected)
      : nodes_(nodes),
        buckets_(std::clamp<int64_t>(expected / kBucketPairs, 1,
                                     std::min(kMostBuckets, std::max<int64_t>(nodes, 1)))),
        fresh_(buckets_.size()) {}

  int64_t size() const { return size_; }

  // Adds the keys that are new, but never more than `room` of them: a random choice then.
  void add(std::span<uint64_t> keys, int64_t room, uint64_t salt) {
    const int64_t blocks = (std::ssize(keys) + kDrawBlock - 1) / kDrawBlock;
    const auto block = [&](int64_t b) {
      return keys.subspan(b * kDrawBlock,
                          std::min<int64_t>(kDrawBlock, std::ssize(keys) - b * kDrawBlock));
    };
    parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) std::ranges::sort(block(b));
    });
    each_bucket([&](int64_t b) {
      std::vector<uint64_t> gathered;
      for (int64_t i = 0; i < blocks; ++i) {
        const auto part = block(i);
        gathered.insert(gathered.end(), std::ranges::lower_bound(part, first_key(b)),
                        std::ranges::lower_bound(part, first_key(b + 1)));
      }
      std::ranges::sort(gathered);
      gathered.erase(std::unique(gathered.begin(), gathered.end()), gathered.end());
      fresh_[b].clear();
      std::ranges::set_difference(gathered, buckets_[b], std::back_inserter(fresh_[b]));
    });
    int64_t found = 0;
    for (const auto& keys_of_bucket : fresh_) found += std::ssize(keys_of_bucket);
    if (found > room) drop(found - room, salt);
    each_bucket([&](int64_t b) {
      std::vector<uint64_t> merged(buckets_[b].size() + fresh_[b].size());
      std::ranges::merge(buckets_[b], fresh_[b], merged.begin());
      buckets_[b] = std::move(merged);
      fresh_[b] = {};
    });
    size_ += std::min(found, room);
  }

  template <class Visit>  // in ascending order
  void for_each(const Visit& visit) const {
    for (const auto& bucket : buckets_)
      for (const uint64_t key : bucket) visit(key);
  }

 private:
  uint64_t first_key(int64_t bucket) const {
    return static_cast<uint64_t>(bucket * nodes_ / std::ssize(buckets_)) << 32;
  }

  template <class Body>
  void each_bucket(const Body& body) {
    parallel_for(std::ssize(buckets_), 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) body(b);
    });
  }

  // Those of lowest rank go; ranks are a bijection of the keys, so there are no ties.
  void drop(int64_t surplus, uint64_t salt) {
    std::vector<uint64_t> ranks;
    for (const auto& keys : fresh_)
      for (const uint64_t key : keys) ranks.push_back(scrambled(key ^ salt));
    std::nth_element(ranks.begin(), ranks.begin() + surplus, ranks.end());
    const uint64_t least = ranks[static_cast<size_t>(surplus)];
    for (auto& keys : fresh_)
      std::erase_if(keys, [&](uint64_t key) { return scrambled(key ^ salt) < least; });
  }

  int64_t nodes_, size_ = 0;
  std::vector<std::vector<uint64_t>> buckets_, fresh_;
};

PairSet draw_pairs(const PairSpace& space, int64_t wanted, bool weighted, const Random& random,
                   Progress& progress) {
  PairSet set(space.nodes, wanted);
  double yield = 1;
  for (int round = 0; set.size() < wanted; ++round) {
    const auto& draw = weighted && round < kWeightedRounds ? space.weighted : space.uniform;
    const int64_t missing = wanted - set.size();
    // Never more at once than the first round, whatever the yield: that is what memory was planned
    // for.
    const double goal =
        kOverdraw * std::min(static_cast<double>(missing) / yield, static_cast<double>(wanted));
    const int64_t count = static_cast<int64_t>(goal) + 16;
    std::vector<uint64_t> keys(static_cast<size_t>(count));
    const int64_t blocks = (count + kDrawBlock - 1) / kDrawBlock;
    parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        Random stream = random.fork("draw", round, b);
        const int64_t size = std::min(kDrawBlock, count - b * kDrawBlock);
        draw(stream, std::span(keys).subspan(b * kDrawBlock, size));
        if (round == 0) progress.advance(size * wanted / count);
      }
    });
    const int64_t before = set.size();
    set.add(keys, missing, random.fork("drop", round).key());
    yield = std::max(kLeastYield,
                     static_cast<double>(set.size() - before) / static_cast<double>(count));
  }
  return set;
}

}  // namespace

AliasTable::AliasTable(std::span<const double> weights) : slots_(weights.size()) {
  GS_ASSERT(!weights.empty());
  double sum = 0;
  for (const double w : weights) sum += w;
  const double scale = static_cast<double>(weights.size()) / sum;
  std::vector<double> share(weights.size());
  std::vector<int32_t> small, large;
  for (size_t i = 0; i < weights.size(); ++i) {
    share[i] = weights[i] * scale;
    (share[i] < 1 ? small : large).push_back(static_cast<int32_t>(i));
    slots_[i] = {UINT32_MAX, static_cast<int32_t>(i)};
  }
  while (!small.empty() && !large.empty()) {
    const int32_t low = small.back(), high = large.back();
    small.pop_back();
    slots_[low] = {static_cast<uint32_t>(share[low] * 0x1.0p32), high};
    share[high] -= 1 - share[low];
    if (share[high] < 1) {
      large.pop_back();
      small.push_back(high);
    }
  }
}

void append_pairs(EdgeList& edges, const PairSpace& space, int64_t wanted, const Random& random,
                  Progress& progress) {
  GS_ASSERT(wanted <= space.possible);
  const auto append = [&](uint64_t key) {
    edges.source.push_back(static_cast<int32_t>(key >> 32));
    edges.target.push_back(static_cast<int32_t>(key & UINT32_MAX));
  };
  if (wanted <= space.possible / 2) {
    draw_pairs(space, wanted, true, random, progress).for_each(append);
    return;
  }
  std::vector<uint64_t> absent;
  draw_pairs(space, space.possible - wanted, false, random, progress).for_each([&](uint64_t key) {
    absent.push_back(key);
  });
  space.every([&](uint64_t key) {
    if (!std::ranges::binary_search(absent, key)) append(key);
  });
}

}  // namespace gs
