// The nodes nearest to one node: by the cosine of the embeddings about their mean. Nearly all rows
// of an embedding share a large part, which says nothing about a node and would make every plain
// cosine 0.99; without it, 0 means unrelated and a negative value unlike. The search is exact and
// reads the rows once for the mean and once for the answer, so that a mapped file may be larger
// than memory. No libtorch here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/array.h"
#include "dataset/dataset.h"

namespace gs {

struct Neighbor {
  int64_t node = 0;
  double cosine = 0;
};

// The node with this original id or number: "#57", or "57" if nodes have no ids (`ids` is empty).
// Usage Error at `where` with the nearest id if there is none.
int64_t node_of(const std::vector<std::string>& ids, int64_t nodes, const std::string& id,
                const std::string& where);
std::string id_of(const std::vector<std::string>& ids, int64_t node);
inline std::string id_of(const Dataset& data, int64_t node) { return id_of(data.node_ids, node); }

// At most k nodes, the nearest first, and the lower number first among equals; never `node` itself
// nor a row with NaN. A row that is the mean has cosine 0 with everything. The same on any number
// of threads.
std::vector<Neighbor> nearest_nodes(const DenseMatrix& z, int64_t node, int64_t k);

// Writes a CSV of id,node,cosine with a header.
void write_neighbors(const std::filesystem::path& path, const std::vector<std::string>& ids,
                     const std::vector<Neighbor>& neighbors);
std::string csv_field(const std::string& text);  // quoted if necessary

}  // namespace gs
