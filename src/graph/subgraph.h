// Parts of a graph: the subgraph that some nodes induce, and the nodes within k steps of some
// seeds. Called once per batch, so the map from global to local ids is a workspace that the caller
// keeps: no hashing and no allocation of N per call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/csr.h"

namespace gs {

// Belongs to one thread at a time; fits any graph.
struct SubgraphWorkspace {
  std::vector<int32_t> local;  // N or more entries, -1 between calls
};

// The entries of `graph` between `nodes` (distinct, any order): local node i is nodes[i]. Weights
// are kept. When asked for, `positions` gets each local entry's place in graph.neighbors. An id out
// of range or given twice is an internal Error.
Csr induced_subgraph(const Csr& graph, std::span<const int32_t> nodes, SubgraphWorkspace& workspace,
                     std::vector<int64_t>* positions = nullptr);

// The seeds and every node that they hear from within `hops` steps, ascending. Seeds may repeat.
std::vector<int32_t> k_hop_nodes(const Csr& graph, std::span<const int32_t> seeds, int64_t hops,
                                 SubgraphWorkspace& workspace);

}  // namespace gs
