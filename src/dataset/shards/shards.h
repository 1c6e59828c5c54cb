// A sharded dataset: one folder with an ordinary dataset folder per shard, for training on several
// processes. docs/formats.md describes the files. Nodes are renumbered by shard, so shard s owns
// the global ids [offsets[s], offsets[s + 1]), and any run of neighboring shards is one range too.
// Within a shard nodes keep their order. Global ids are 64-bit and may exceed 2^31; local ids are
// 32-bit.
//
// Everything is hostile input: sizes, counts and ids are checked when a shard is opened, contents
// by verify_shards(). Every complaint is a data Error with the file.
//
// Thread safety: read-only once opened; any number of threads may read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/progress.h"
#include "dataset/dataset.h"
#include "graph/normalize.h"

namespace gs {

struct ShardEntry {
  int64_t nodes = 0;      // own nodes; at least 1
  int64_t halo = 0;       // nodes of other shards with an edge into it
  int64_t edges = 0;      // stored entries of its rows
  int64_t cut_edges = 0;  // those of them that begin in another shard
  std::string hash;       // of its shard.json, which has the hashes of its files
};

// shards.json: what belongs together.
struct ShardIndex {
  std::filesystem::path folder;
  std::string hash;  // of shards.json: equal hashes mean equal datasets, shard by shard
  std::string name, treatment;
  int64_t nodes = 0, edges = 0, cut_edges = 0;  // of the whole graph; edges: stored entries
  bool symmetric = false, weighted = false, sparse_features = false;
  int64_t features = 0;  // columns
  Task task = Task::none;
  int64_t classes = 0, splits = 0;
  std::string partitioner;         // metis, stream or parts-file
  std::vector<int64_t> offsets;    // S + 1, from 0 to nodes, strictly ascending
  std::vector<ShardEntry> shards;  // S
  std::string new_hash, old_hash;  // of the two tables of ids

  int64_t size() const { return static_cast<int64_t>(shards.size()); }  // S
  int64_t owner(int64_t global) const {  // the shard of a node in [0, nodes)
    return std::upper_bound(offsets.begin(), offsets.end(), global) - offsets.begin() - 1;
  }
};

// Degrees of one node in the whole graph. Equal to the bit for the owner and for every shard that
// has the node in its halo.
struct WholeDegree {
  double in_edges = 0, in_weight = 0;    // entries of its row, and the sum of their weights
  double out_edges = 0, out_weight = 0;  // the same of its column
  double loops = 0;                      // 1 if it has an edge to itself
};

// Shards [first, last) as one graph: own nodes first, by global id, then the halo, by global id.
struct Shard {
  int64_t first = 0, last = 0;
  int64_t begin = 0;  // global id of local node 0
  int64_t own = 0;    // own nodes; local nodes from here on are halo
  // Graph, features and names of all local nodes. Rows of halo nodes are empty; their labels are
  // unknown, and they are in no split. Features were treated when the shards were written.
  Dataset data;
  Array<int64_t> halo;                // global ids, ascending, none of its own
  std::vector<int64_t> halo_offsets;  // S + 1: halo[halo_offsets[t] ...) belongs to shard t
  Array<int64_t> old_ids;             // of every local node: its number before sharding
  Array<double> degrees;              // one WholeDegree per local node, field by field
  // Own nodes (local ids, ascending) that shard t has in its halo are
  // send[send_offsets[t] ... send_offsets[t + 1]): exactly that shard's halo nodes of this owner,
  // in the same order. Empty for t in [first, last).
  Array<int64_t> send_offsets;  // S + 1
  Array<int32_t> send;

  int64_t nodes() const { return own + halo.size(); }
  int64_t global(int64_t local) const { return local < own ? begin + local : halo[local - own]; }
  // Local id, or -1 for a node that is neither own nor halo.
  int64_t local(int64_t global) const;
  WholeDegree degree(int64_t local) const;
  // What to send to the process that has shards [from, to) open as one: the own nodes in that
  // halo, in its order.
  std::vector<int32_t> sent_to(int64_t from, int64_t to) const;
};

// Whether `path` is a sharded dataset folder (or its shards.json). Looks at names only.
bool is_sharded(const std::filesystem::path& path);
// Data Error when anything in it is inconsistent.
ShardIndex read_shard_index(const std::filesystem::path& path);

// One shard is mapped and opens in the time that its graph takes to check; several as one are
// copied. Notices files that are missing, truncated or of another set of shards.
Shard open_shards(const ShardIndex& index, int64_t first, int64_t last);
inline Shard open_shard(const ShardIndex& index, int64_t shard) {
  return open_shards(index, shard, shard + 1);
}

// Mapped tables of N entries: global id by the number before sharding, and back. Entries are
// checked by verify_shards() only.
Array<int64_t> new_ids(const ShardIndex& index);
Array<int64_t> old_ids(const ShardIndex& index);

// Reads everything once: hashes, and that the tables are inverse. Data Error at the first file that
// differs.
void verify_shards(const ShardIndex& index, Progress& progress = no_progress());

// Normalization of the whole graph, for the local nodes of a shard: the values of
// normalization(graph, norm) at them, to the bit.
Normalization normalization(const Shard& shard, Norm norm);

}  // namespace gs
