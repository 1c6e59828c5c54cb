// Draws the nodes of one random subgraph (GraphSAINT, Zeng et al. 2020), all draws with
// replacement:
//   walk  roots uniform, from each a walk of some steps to uniform neighbours that a node hears
//   from;
//         it ends early at a node that hears from nobody
//   node  in proportion to the squared norm of a node's column of the normalised adjacency
//   edge  both ends of entries u -> v, in proportion to 1 / in-degree of v + 1 / out-degree of u
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "config/loader_options.h"
#include "graph/csr.h"
#include "graph/normalize.h"
#include "graph/subgraph.h"

namespace gs {

class SaintNodes {
 public:
  // The graph must outlive it. Data Error when node or edge find nothing to draw by.
  SaintNodes(const Csr& graph, const Normalization& scales, const LoaderOptions& options);

  // Distinct, at least one.
  std::vector<int32_t> draw(Random random, SubgraphWorkspace& workspace) const;

 private:
  const Csr& graph_;
  SaintSampler sampler_;
  int64_t roots_, walk_length_;
  std::vector<double> cumulated_;           // node: sums of probabilities, not yet divided
  Csr reverse_;                             // edge
  std::vector<int32_t> targets_, sources_;  // edge: nodes with an entry in the graph, its reverse
};

}  // namespace gs
