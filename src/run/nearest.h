// The nodes nearest to one node by cosine. Reads the embeddings one block of rows at a time, so
// that a mapped file may be larger than memory.
#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <string>
#include <vector>

#include "dataset/dataset.h"

namespace gs {

struct Neighbor {
  int64_t node = 0;
  double cosine = 0;
};

// The node with this original id or number: "#57", or "57" if nodes have no ids. Usage Error with
// the nearest id if there is none.
int64_t node_of(const Dataset& data, const std::string& id);
std::string id_of(const Dataset& data, int64_t node);

// At most k nodes, the nearest first, and the lower number first among equals; never `node` itself
// nor a row with NaN. A zero row has cosine 0 with everything. `z`: N x W floats on the CPU.
// `block`: numbers of z to read at once.
std::vector<Neighbor> nearest_nodes(const at::Tensor& z, int64_t node, int64_t k,
                                    int64_t block = int64_t{1} << 24);

// Writes a CSV of id,node,cosine with a header.
void write_neighbors(const std::filesystem::path& path, const Dataset& data,
                     const std::vector<Neighbor>& neighbors);
std::string csv_field(const std::string& text);  // quoted if necessary

}  // namespace gs
