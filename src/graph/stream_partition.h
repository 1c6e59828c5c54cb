// Cuts a graph into parts of near-equal size in a few passes over its rows, for graphs that METIS
// cannot hold: linear deterministic greedy partitioning (Stanton and Kliot 2012) with repeated
// passes (Nishimura and Ugander 2013). Rows are read in file order; beyond the result it holds
// O(parts). Only rows count: on a directed graph a node follows those that it hears from.
#pragma once

#include <cstdint>
#include <span>

#include "base/progress.h"
#include "graph/csr.h"

namespace gs {

// Sets part[v], in [0, parts), for every node. Deterministic. No part has more than 5 % above the
// mean (rounded up); one may be empty. Internal Error unless 1 <= parts <= nodes.
void stream_partition(const Csr& graph, int64_t parts, std::span<int32_t> part,
                      Progress& progress = no_progress());

}  // namespace gs
