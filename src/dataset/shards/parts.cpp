// Which shard each node goes to: by a partitioner of ours or a file of anybody's.
#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "dataset/shards/layout.h"
#include "dataset/shards/save.h"
#include "graph/partition.h"
#include "graph/stream_partition.h"

namespace gs {

namespace {

constexpr int64_t kDefaultShards = 64;
constexpr int64_t kMostMetisEdges = 100'000'000;

void check_count(int64_t shards, int64_t nodes) {
  if (shards > kMostShards)
    fail_usage("--shards", fmt::format("{} are more than {} shards", shards, kMostShards),
               "a process opens several shards; use fewer");
  if (shards > nodes)
    fail_usage("--shards", fmt::format("{} shards for {} nodes", shards, nodes),
               fmt::format("every shard needs a node: pass --shards {} or less", nodes));
}

// The numbers of a parts file, one per node, from .npy or lines of text.
class PartsFile {
 public:
  PartsFile(const std::string& path, int64_t nodes) : path_(path) {
    if (path.ends_with(".npy")) {
      const NpyArray array = load_npy(path);
      array.require_dims(1);
      parts_ = array.as<int64_t>();
    } else {
      parts_ = read_lines(nodes);
    }
    if (parts_.size() != nodes)
      fail_data(path, fmt::format("has {} parts for {} nodes", parts_.size(), nodes),
                "a parts file has one number per node, in the order of the nodes");
  }

  // Checks every part and copies them; returns the number of parts.
  int64_t copy(std::span<int32_t> out, int64_t shards) const {
    const int64_t limit = shards > 0 ? shards : kMostShards;
    for (int64_t v = 0; v < parts_.size(); ++v) {
      if (parts_[v] < 0 || parts_[v] >= limit)
        fail_data(place(v), fmt::format("part {} is not from 0 to {}", parts_[v], limit - 1),
                  shards > 0 ? "does --shards fit the file?" : "parts are numbered from 0");
      out[v] = static_cast<int32_t>(parts_[v]);
    }
    return shards > 0 ? shards : int64_t{*std::ranges::max_element(out)} + 1;
  }
  std::string place(int64_t node) const {
    return path_.ends_with(".npy") ? fmt::format("{}, node {}", path_, node)
                                   : fmt::format("{}:{}", path_, node + 1);
  }

 private:
  std::vector<int64_t> read_lines(int64_t nodes) const {
    const TextFile file(path_);
    std::vector<int64_t> parts;
    for (std::string_view rest = file.text(); !rest.empty();) {
      const size_t end = rest.find('\n');
      const std::string_view line = trimmed(rest.substr(0, end));
      const auto part = parse_integer(line);
      if (!part)
        fail_data(place(std::ssize(parts)),
                  fmt::format("'{}' is not a part number", printable(line)),
                  "a parts file is an .npy of integers, or text with one number per line");
      if (std::ssize(parts) == nodes)
        fail_data(path_, fmt::format("has more lines than the {} nodes", nodes),
                  "a parts file has one number per node, in the order of the nodes");
      parts.push_back(*part);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return parts;
  }

  std::string path_;
  Array<int64_t> parts_;
};

// Each empty part gets the last node of the largest.
void fill_empty_parts(std::span<int32_t> part, std::vector<int64_t>& sizes) {
  for (size_t empty = 0; empty < sizes.size(); ++empty) {
    if (sizes[empty] > 0) continue;
    const auto largest = static_cast<int32_t>(std::ranges::max_element(sizes) - sizes.begin());
    *std::find(part.rbegin(), part.rend(), largest) = static_cast<int32_t>(empty);
    --sizes[largest], ++sizes[empty];
  }
}

std::vector<int64_t> sizes_of(std::span<const int32_t> part, int64_t parts) {
  std::vector<int64_t> sizes(static_cast<size_t>(parts));
  for (const int32_t p : part) ++sizes[p];
  return sizes;
}

}  // namespace

void ShardOptions::describe(OptionList& v) {
  v("shards", shards, "number of shards; 0: as many as --parts-file has, or 64")
      .at_least(0)
      .at_most(static_cast<double>(kMostShards));
  v("partitioner", partitioner, "what decides which shard a node goes to");
  v("parts-file", parts_file,
    "shard of each node, instead of a partitioner: .npy of integers, or one number per line");
}

ShardParts assign_shards(const Csr& graph, const ShardOptions& options, std::span<int32_t> part,
                         Progress& progress) {
  const int64_t nodes = graph.nodes();
  if (!options.parts_file.empty()) {
    if (options.partitioner != Partitioner::automatic)
      fail_usage("--partitioner", "does not go with --parts-file", "pass one of the two");
    const PartsFile file(options.parts_file, nodes);
    check_count(options.shards, nodes);
    const int64_t shards = file.copy(part, options.shards);
    std::vector<int64_t> sizes = sizes_of(part, shards);
    const auto empty = std::ranges::find(sizes, 0);
    if (empty != sizes.end())
      fail_data(options.parts_file, fmt::format("part {} has no nodes", empty - sizes.begin()),
                fmt::format("number the parts from 0 to {} without gaps", shards - 1));
    return {"parts-file", std::move(sizes)};
  }

  const int64_t shards = options.shards > 0 ? options.shards : kDefaultShards;
  check_count(shards, nodes);
  const bool metis =
      options.partitioner == Partitioner::metis ||
      (options.partitioner == Partitioner::automatic && graph.edges() <= kMostMetisEdges);
  if (metis) {
    try {
      if (graph.symmetric) check_partition_size(graph.edges());  // before anything is copied
      std::ranges::copy(partition(graph, shards, /*seed=*/0), part.begin());
    } catch (const Error& error) {
      throw Error(error.kind(), error.message(), error.where(), "use --partitioner stream");
    }
  } else {
    stream_partition(graph, shards, part, progress);
  }
  std::vector<int64_t> sizes = sizes_of(part, shards);
  fill_empty_parts(part, sizes);
  return {metis ? "metis" : "stream", std::move(sizes)};
}

}  // namespace gs
