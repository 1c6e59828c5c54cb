// A dataset whose nodes come in another order, so that rows which are used together lie together on
// disk and in memory. The original ids go along: where there were none, they are the old numbers.
#pragma once

#include <cstdint>
#include <span>

#include "base/registry.h"
#include "dataset/dataset.h"

namespace gs {

enum class Reorder { none, metis, degree, bfs };
std::span<const Named<Reorder>> names_of(Reorder);

// order[i] is the node that becomes i; see graph/reorder.h.
std::vector<int32_t> node_order(const Csr& graph, Reorder rule);
Dataset renumber(const Dataset& data, std::span<const int32_t> order);

}  // namespace gs
