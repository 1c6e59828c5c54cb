// MVGRL's second view of the structure: the diffusion matrix of personalized PageRank,
//   S = alpha (I - (1 - alpha) D^-1/2 (A + I) D^-1/2)^-1,
// where each row keeps its `top_k` largest entries, found by push (graph/ppr.h): row v of
// D^-1/2 S D^1/2 is the walk from v. No dense matrix is made.
#pragma once

#include <span>

#include "graph/ppr.h"
#include "loader/sample.h"

namespace gs {

// A square matrix with values and without scales.
LayerGraph ppr_diffusion(const Csr& graph, const PprOptions& options);

// The diffusion between some nodes: local node i is nodes[i]. For a node that is listed twice, its
// first position counts as a source.
LayerGraph diffusion_between(const LayerGraph& whole, std::span<const int64_t> nodes);

}  // namespace gs
