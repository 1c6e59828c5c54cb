// The neighbor loader of a sharded graph. Every rank takes the targets of a batch that it owns. A
// row is drawn by its owner, by the number of its node before sharding, and then features and
// scales come from the owners too: the ranks' batches together are the batch of one process on the
// unsharded graph.
#pragma once

#include "graph/sampling.h"
#include "loader/loader.h"

namespace gs {

std::unique_ptr<Loader> neighbors_of_shards(const Dataset& data, const LoaderOptions& options,
                                            const LoaderContext& context);

// One layer of a neighborhood: rows of the first nodes, whose sources are among `nodes`. `whole`
// has the scales of the whole graph, by node.
LayerGraph sampled_layer(SampledRows rows, std::span<const int32_t> nodes,
                         const Normalization& whole);

}  // namespace gs
