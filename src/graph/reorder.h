// New numberings of a graph's nodes, for locality. An order lists old ids by new id: order[i] is
// the node that becomes i.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/csr.h"

namespace gs {

std::vector<int32_t> order_by_degree(const Csr& graph);  // longest rows first, ties by id
std::vector<int32_t> order_by_bfs(const Csr& graph);     // along rows, from the lowest id
std::vector<int32_t> order_by_part(std::span<const int32_t> parts);  // part by part, ties by id

// Old id -> new id. Internal Error when `order` does not list every node once.
std::vector<int32_t> inverse_order(std::span<const int32_t> order);

// The same graph, renumbered: row i is the old row order[i] with its ids renumbered and ascending
// again.
Csr reorder(const Csr& graph, std::span<const int32_t> order);

}  // namespace gs
