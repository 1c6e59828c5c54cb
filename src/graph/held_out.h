// Edges held out of a graph for link prediction: some pairs of joined nodes, removed in both
// directions, and as many pairs that are not joined. Self-loops are neither removed nor predicted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "graph/csr.h"

namespace gs {

struct NodePair {
  int32_t from = 0, to = 0;
  bool operator==(const NodePair&) const = default;
};

struct HeldOut {
  Csr graph;                                 // without the held-out edges
  std::vector<NodePair> positive, negative;  // held out, and not joined: as many
  std::vector<NodePair> known, unknown;      // the same to learn a scorer from: known edges stay
  double share = 0;                          // share of the joined pairs that is held out
};

// `share` of the joined pairs is held out, at least one. A pair is two nodes that are joined in
// either direction; it is taken once, and all its entries are removed, since the other direction
// would reveal it. (A pair that has both is listed as from < to.) At most `most` pairs are held
// out, and as many known ones given. By `random`; data Error when there is nothing to hold out or
// the graph is so dense that pairs without an edge are not found.
HeldOut hold_out(const Csr& graph, double share, int64_t most, Random random);

// `count` nodes that `from` is not joined to in either direction, and that are not `from`; may
// repeat. Fewer, or none, where it is joined to nearly all.
std::vector<int32_t> non_neighbors(const Csr& graph, int32_t from, int64_t count, Random random);

}  // namespace gs
