// Cuts a graph into parts of near-equal size with few edges between them (METIS, k-way). Edges
// count both ways and alike: directions, weights and self-loops do not matter. A partition of a
// large graph takes long, so it can be cached in a folder by content: another graph, number of
// parts or seed is another file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "graph/csr.h"

namespace gs {

// The part of each node, in [0, parts). The same on every call. With as many parts as nodes or
// more, every node is its own part; otherwise a part may still be empty in odd cases. Usage Error
// when parts < 1, data Error when the graph is too large for METIS or METIS fails. An unreadable
// cache file is replaced; a cache that cannot be written is done without.
std::vector<int32_t> partition(const Csr& graph, int64_t parts, uint64_t seed,
                               const std::filesystem::path& cache_folder = {});

// The default number of parts: about a thousand nodes each.
inline int64_t usual_parts(int64_t nodes) {
  constexpr int64_t kNodes = 1000;
  return nodes > kNodes ? (nodes + kNodes - 1) / kNodes : 1;
}

// Data Error when METIS, built with 32-bit integers as a rule, cannot take a graph of so many
// stored entries.
void check_partition_size(int64_t entries);

}  // namespace gs
