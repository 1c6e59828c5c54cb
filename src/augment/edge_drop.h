// Views with fewer edges. Whether entry (v, u) is dropped is a function of (random, v, u), or of
// the unordered pair on a symmetric graph, so that a view does not depend on the number of threads
// and a symmetric graph stays symmetric.
//
// The remaining edges are normalized again where the graph's scales come from its own degrees (a
// whole graph, a cluster). A sample with the scales of the whole graph (neighbor, saint) keeps
// them, and its remaining entries are divided by the probability of being kept: the expected sums
// stay the same. Added loops are never dropped.
#pragma once

#include <span>
#include <vector>

#include "base/random.h"
#include "loader/sample.h"

namespace gs {

struct EdgeDrop {
  double probability = 0;
  std::span<const float> each = {};  // one probability per entry, instead of `probability`
  Random random{0};
};

// `again`: normalization of the remaining edges; nullptr keeps the scales.
LayerGraph drop_edges(const LayerGraph& graph, const EdgeDrop& drop, const Norm* again);

}  // namespace gs
