// Views with fewer edges. Whether entry (v, u) is dropped is a function of (random, v, u), of a
// symmetric graph of the pair, so that a view does not depend on the number of threads and a
// symmetric graph stays symmetric.
//
// What is left is normalised anew where the graph's scales come from its own degrees (a whole
// graph, a cluster). A sample whose scales are those of the whole graph (neighbor, saint) keeps
// them, and what is kept is divided by its probability: the expected sums stay. Added loops are
// never dropped.
#pragma once

#include <span>
#include <vector>

#include "base/random.h"
#include "loader/sample.h"

namespace gs {

struct EdgeDrop {
  double probability = 0;
  std::span<const float> each = {};  // of every entry, in place of `probability`
  Random random{0};
};

// `anew`: the normalisation to make of what is left; nullptr keeps the scales.
LayerGraph drop_edges(const LayerGraph& graph, const EdgeDrop& drop, const Norm* anew);

}  // namespace gs
