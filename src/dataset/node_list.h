// A list of nodes from a user's file, as --seeds takes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "dataset/dataset.h"

namespace gs {

// Nodes of `data`, ascending: node numbers of an .npy, or text with an id a line (numbers where
// nodes have no ids of their own, and always as #57). Data Error for a node that is not there, one
// that is listed twice, and for a list of none.
std::vector<int32_t> read_node_list(const std::filesystem::path& path, const Dataset& data);

}  // namespace gs
