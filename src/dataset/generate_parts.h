// What the generators share; not for use outside dataset/generate*.cpp.
// Every draw comes from a stream that is forked by the number of a block of fixed size, never by
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/random.h"
#include "dataset/generate.h"

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
  std::function<void(Random&, std::span<uint64_t>)> weighted,
      uniform;  // fill with keys; repeats may occur
  std::function<void(const std::function<void(uint64_t)>&)> every;  // visits each pair once
};

// Appends `wanted` different pairs of the space (at most `possible`) to `edges`, each once, as u <
// v. Draws in rounds until there are enough; where more than half of all pairs are wanted, draws
// those that stay away instead.
void append_pairs(EdgeList& edges, const PairSpace& space, int64_t wanted, const Random& random,
                  Progress& progress);

// Nodes by class: node_class[v], and the members of class c in order at members[begin[c]..begin[c +
// 1]).
struct ClassMembers {
  std::vector<int32_t> node_class, members;
  std::vector<int64_t> begin;

  int64_t classes() const { return static_cast<int64_t>(begin.size()) - 1; }
  int64_t size(int64_t c) const { return begin[c + 1] - begin[c]; }
};
ClassMembers assign_classes(int64_t nodes, int64_t classes,
                            Random random);  // sizes differ by at most one

EdgeList sbm_pairs(const GenerateOptions& options, const ClassMembers& groups, int64_t wanted,
                   const Random& random, Progress& progress);
EdgeList rmat_pairs(const GenerateOptions& options, int64_t wanted, const Random& random,
                    Progress& progress);

// `true_labels` has every node's labels, those that the dataset will hide too: features follow the
// truth.
Features make_generated_features(const GenerateOptions& options, const Labels& true_labels,
                                 const Random& random, Progress& progress);

}  // namespace gs
