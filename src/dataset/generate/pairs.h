// Drawing distinct pairs of nodes, which the generators share. Every draw comes from a stream that
// is forked by the number of a block of fixed size, never by thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/random.h"
#include "graph/csr.h"

namespace gs {

// Draws i with probability weight[i] / sum, in constant time (Walker's alias method).
class AliasTable {
 public:
  explicit AliasTable(std::span<const double> weights);  // positive, at least one

  int64_t draw(Random& random) const {
    const auto slot = random.below(slots_.size());
    return random.bits32() < slots_[slot].threshold ? static_cast<int64_t>(slot)
                                                    : slots_[slot].other;
  }

 private:
  struct Slot {
    uint32_t threshold;  // of 2^32
    int32_t other;
  };
  std::vector<Slot> slots_;
};

// An unordered pair u < v of nodes as one sortable number.
inline uint64_t pair_key(int64_t u, int64_t v) {
  return u < v ? static_cast<uint64_t>(u) << 32 | static_cast<uint64_t>(v)
               : static_cast<uint64_t>(v) << 32 | static_cast<uint64_t>(u);
}

// The pairs that edges may be drawn from.
struct PairSpace {
  int64_t nodes = 0, possible = 0;  // how many pairs there are
  // Fill with keys; repeats may occur.
  std::function<void(Random&, std::span<uint64_t>)> weighted, uniform;
  std::function<void(const std::function<void(uint64_t)>&)> every;  // visits each pair once
};

// Appends `wanted` different pairs of the space (at most `possible`) to `edges`, each once, as u <
// v. Draws in rounds until there are enough; where more than half of all pairs are wanted, draws
// those that stay away instead.
void append_pairs(EdgeList& edges, const PairSpace& space, int64_t wanted, const Random& random,
                  Progress& progress);

}  // namespace gs
