// Draws the nodes of one random subgraph (GraphSAINT, Zeng et al. 2020), all draws with
// replacement:
//   walk  uniform roots, and from each a walk to uniform in-neighbors; it ends early at a node that
//         has none
//   node  in proportion to the squared norm of the node's column of the normalized adjacency
//   edge  both ends of entries u -> v, in proportion to 1 / in-degree of v + 1 / out-degree of u
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "graph/csr.h"
#include "graph/normalize.h"
#include "graph/subgraph.h"
#include "options/loader.h"

namespace gs {

class SaintNodes {
 public:
  // The graph must outlive it. Data Error if node or edge has nothing to draw by.
  SaintNodes(const Csr& graph, const Normalization& scales, const LoaderOptions& options);

  // Distinct nodes, at least one.
  std::vector<int32_t> draw(Random random, SubgraphWorkspace& workspace) const;

 private:
  const Csr& graph_;
  SaintSampler sampler_;
  int64_t roots_, walk_length_;
  std::vector<double> cumulated_;           // node: cumulative sums, not normalized
  Csr reverse_;                             // edge
  std::vector<int32_t> targets_, sources_;  // edge: nodes with entries in each
};

}  // namespace gs
