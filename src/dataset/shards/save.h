// Cuts a dataset into shards and writes them as one folder; shards.h reads it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/progress.h"
#include "dataset/dataset.h"
#include "dataset/shards/shards.h"

namespace gs {

enum class Partitioner { automatic, metis, stream };
inline constexpr Named<Partitioner> kPartitioners[] = {
    {"auto", Partitioner::automatic, "metis up to 100 million stored edges, stream beyond"},
    {"metis", Partitioner::metis, "METIS, which cuts the fewest edges and needs the most memory"},
    {"stream", Partitioner::stream,
     "passes over the rows that move each node to its neighbors; 4 bytes per node"},
};
constexpr std::span<const Named<Partitioner>> names_of(Partitioner) { return kPartitioners; }

struct ShardOptions {
  int64_t shards = 0;  // 0: as many as parts_file has, or 64
  Partitioner partitioner = Partitioner::automatic;
  std::string parts_file;

  void describe(OptionList& v);
};

// Data Error unless shards may be written to `target`: it does not exist or is empty, or
// `overwrite` and it is a sharded folder of ours, without other files and without any of `inputs`.
void check_shards_output(const std::filesystem::path& target, bool overwrite,
                         const std::vector<std::filesystem::path>& inputs = {});

// Atomic: a whole folder or none. Arrays of `data` are read where they are, mapped or not. Holds
// one shard in memory at a time; all that is per node is in mapped files beside the output. METIS
// needs memory of its own. Usage Error for more shards than nodes, data Error for a parts file that
// does not fit.
ShardIndex save_shards(const Dataset& data, const ShardOptions& options,
                       const std::filesystem::path& target, bool overwrite,
                       Progress& progress = no_progress());

}  // namespace gs
