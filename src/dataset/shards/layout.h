// File names of a sharded folder, and what its reader and its writer share; docs/formats.md
// explains them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/npy.h"
#include "dataset/shards/save.h"
#include "dataset/shards/shards.h"

namespace gs {

inline constexpr std::string_view kShardsFormat = "graphsurgeon-shards",
                                  kShardFormat = "graphsurgeon-shard";
inline constexpr int64_t kShardsVersion = 1;
// Every halo is mapped at once, and a process may have some 65,000 mappings.
inline constexpr int64_t kMostShards = 1 << 14;
inline constexpr int64_t kDegreeColumns = 5;  // the fields of WholeDegree
static_assert(sizeof(WholeDegree) == kDegreeColumns * sizeof(double));

inline constexpr std::string_view kShardsFile = "shards.json", kNewIdsFile = "new_ids.npy",
                                  kOldIdsFile = "old_ids.npy", kShardFile = "shard.json",
                                  kHaloFile = "halo.npy", kHaloDegreesFile = "halo_degrees.npy",
                                  kOwnDegreesFile = "own_degrees.npy",
                                  kSendOffsetsFile = "send_offsets.npy", kSendFile = "send.npy";
inline constexpr std::string_view kShardOnlyFiles[] = {
    kHaloFile, kHaloDegreesFile, kOwnDegreesFile, kOldIdsFile, kSendOffsetsFile, kSendFile};

std::string shard_name(int64_t shard);        // "shard-00003"
bool is_shard_name(const std::string& name);  // any number
std::string hash_of_file(const fs::path& file);

// Rows of entries with global ids, as a graph of local ones.
struct LocalGraph {
  Csr graph;                  // rows of the own nodes, then an empty one per halo node
  std::vector<int64_t> halo;  // ascending
  int64_t cut_edges = 0;
};

// Row i, entries offsets[i] to offsets[i + 1], belongs to the node begin + i. Entries of a row are
// distinct, in any order. `weights` may be empty. Data Error at `where` past 2^31 - 1 local nodes.
LocalGraph localize(std::vector<int64_t> offsets, std::span<const int64_t> entries,
                    std::span<const float> weights, int64_t begin, const std::string& where);

struct ShardParts {
  std::string partitioner;
  std::vector<int64_t> sizes;  // nodes of each shard; none is 0
};

// Sets the shard of each node; see save_shards().
ShardParts assign_shards(const Csr& graph, const ShardOptions& options, std::span<int32_t> part,
                         Progress& progress);

// Where the halo nodes of each shard begin; see Shard.
std::vector<int64_t> halo_offsets(const ShardIndex& index, const Array<int64_t>& halo);

// The halo of one shard, checked.
Array<int64_t> read_halo(const ShardIndex& index, int64_t shard);

// Joins neighboring shards, opened one by one; see open_shards().
Shard merge_shards(const ShardIndex& index, int64_t first, int64_t last);

}  // namespace gs
