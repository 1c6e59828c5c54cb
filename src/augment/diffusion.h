// MVGRL's second view of the structure: the diffusion matrix of personalised PageRank,
//   S = alpha (I - (1 - alpha) D^-1/2 (A + I) D^-1/2)^-1,
// of which each row keeps its `top_k` largest walks, found by push (graph/ppr.h): row v of
// D^-1/2 S D^1/2 is the walk from v. Never a dense matrix.
#pragma once

#include <span>

#include "graph/ppr.h"
#include "loader/sample.h"

namespace gs {

// Square, with values, without scales.
LayerGraph ppr_diffusion(const Csr& graph, const PprOptions& options);

// Its entries between some nodes: local node i is nodes[i]. A node that is there twice is heard
// through its first place.
LayerGraph diffusion_between(const LayerGraph& whole, std::span<const int64_t> nodes);

}  // namespace gs
