// Renumbers the nodes of a dataset, so that rows which are used together are close together on disk
// and in memory. Original ids are kept; where there were none, they are the old numbers.
#pragma once

#include <cstdint>
#include <span>

#include "base/registry.h"
#include "dataset/dataset.h"

namespace gs {

enum class Reorder { none, metis, degree, bfs };
inline constexpr Named<Reorder> kReorders[] = {
    {"none", Reorder::none, "the order of the input"},
    {"metis", Reorder::metis, "part by part of a METIS partition, which cuts few edges"},
    {"degree", Reorder::degree, "nodes with the most neighbors first"},
    {"bfs", Reorder::bfs, "breadth-first order"},
};
constexpr std::span<const Named<Reorder>> names_of(Reorder) { return kReorders; }

// order[i] is the node that becomes i; see graph/reorder.h.
std::vector<int32_t> node_order(const Csr& graph, Reorder rule);
Dataset renumber(const Dataset& data, std::span<const int32_t> order);

}  // namespace gs
