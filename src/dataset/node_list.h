// A list of nodes from a user's file, as --target-nodes takes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "dataset/dataset.h"

namespace gs {

// Nodes of `data`, ascending: node numbers of an .npy, or text with one id per line (numbers where
// nodes have no ids of their own, and always as #57). Data Error for an unknown node, a
// repeated one, and an empty list.
std::vector<int32_t> read_node_list(const std::filesystem::path& path, const Dataset& data);
// The same in the order of the list.
std::vector<int32_t> read_nodes_in_order(const std::filesystem::path& path, const Dataset& data);

}  // namespace gs
