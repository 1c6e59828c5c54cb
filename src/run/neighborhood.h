// Embeddings of some nodes, computed from their neighborhoods alone: for new nodes in a graph that
// is too large to embed again. They equal those of the whole graph up to rounding (1e-5 of the
// largest value), since every neighbor is read and scaled as in the whole graph.
//
// An encoder of L layers reads L hops, layer by layer. A method that filters features reads the
// subgraph within its filters' hops, or the whole graph where that is most of it, with one column
// per node instead of one per feature. Methods that do not say how far they read embed the whole
// graph.
#pragma once

#include <span>

#include "run/embed.h"

namespace gs {

// Row i is the embedding of nodes[i], which may repeat. Data Error at `name` as in embed().
at::Tensor embed_nodes(const LoadedModel& run, const Dataset& data, std::span<const int32_t> nodes,
                       const std::string& name, const InferenceOptions& options = {},
                       Progress& progress = no_progress());

}  // namespace gs
