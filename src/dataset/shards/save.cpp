#include "dataset/shards/save.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/parallel.h"
#include "dataset/folder/folder.h"
#include "dataset/folder/layout.h"
#include "dataset/gather.h"
#include "dataset/shards/layout.h"
#include "dataset/shards/table.h"

namespace gs {

namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kGrain = 1 << 13;
constexpr std::string_view kPartsTable = "parts.tmp", kOutTable = "out_degrees.tmp";

// Writes the shards of one dataset into a folder that is not yet named.
class ShardWriter {
 public:
  ShardWriter(const Dataset& data, const ShardOptions& options, const fs::path& folder,
              Progress& progress)
      : data_(data), graph_(data.graph), folder_(folder), progress_(progress) {
    number_nodes(options);
    if (!graph_.symmetric) count_out_edges();
  }

  void write() {
    const int64_t shards = index_.size();
    progress_.start("writing shards", shards, "shards");
    for (int64_t s = 0; s < shards; ++s) {
      write_shard(s);
      progress_.advance(1);
    }
    out_degrees_.reset();
    fs::remove(folder_ / kOutTable);
    std::vector<Array<int64_t>> halos;
    for (int64_t s = 0; s < shards; ++s)
      halos.push_back(load_npy(shard_folder(s) / kHaloFile).as<int64_t>());
    progress_.start("linking shards", shards, "shards");
    for (int64_t s = 0; s < shards; ++s) {
      write_sends(s, halos);
      describe_shard(s);
      progress_.advance(1);
    }
    describe_all();
    progress_.finish();
  }

 private:
  fs::path shard_folder(int64_t shard) const { return folder_ / shard_name(shard); }

  void number_nodes(const ShardOptions& options) {
    const int64_t nodes = data_.nodes();
    {
      Table<int32_t> part(folder_ / kPartsTable, {nodes});
      ShardParts parts = assign_shards(graph_, options, part.values(), progress_);
      index_.partitioner = std::move(parts.partitioner);
      index_.offsets.push_back(0);
      for (const int64_t size : parts.sizes) {
        index_.shards.push_back({.nodes = size, .halo = 0, .edges = 0, .cut_edges = 0, .hash = {}});
        index_.offsets.push_back(index_.offsets.back() + size);
      }
      new_ids_.emplace(folder_ / kNewIdsFile, std::initializer_list<int64_t>{nodes});
      old_ids_.emplace(folder_ / kOldIdsFile, std::initializer_list<int64_t>{nodes});
      std::vector<int64_t> next(index_.offsets.begin(), index_.offsets.end() - 1);
      for (int64_t v = 0; v < nodes; ++v) {
        const int64_t id = next[part[v]]++;
        (*new_ids_)[v] = id;
        (*old_ids_)[id] = v;
      }
    }
    fs::remove(folder_ / kPartsTable);
  }

  // Edges and weight out of each node: the row sums of the reverse graph, which is never made.
  void count_out_edges() {
    out_degrees_.emplace(folder_ / kOutTable, std::initializer_list<int64_t>{data_.nodes(), 2});
    for (int64_t v = 0; v < data_.nodes(); ++v)
      for (int64_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
        const int64_t source = graph_.neighbors[e];
        (*out_degrees_)[2 * source] += 1;
        (*out_degrees_)[2 * source + 1] += graph_.weighted() ? graph_.weights[e] : 1;
      }
  }

  WholeDegree degree_of(int64_t node) const {
    WholeDegree out;
    out.in_edges = static_cast<double>(graph_.degree(node));
    if (!graph_.weighted()) out.in_weight = out.in_edges;
    for (const float weight : graph_.row_weights(node)) out.in_weight += weight;
    const auto row = graph_.row(node);
    out.loops = std::binary_search(row.begin(), row.end(), static_cast<int32_t>(node)) ? 1 : 0;
    out.out_edges = out_degrees_ ? (*out_degrees_)[2 * node] : out.in_edges;
    out.out_weight = out_degrees_ ? (*out_degrees_)[2 * node + 1] : out.in_weight;
    return out;
  }

  void save_degrees(const fs::path& file, std::span<const int32_t> nodes) const {
    std::vector<double> values(nodes.size() * kDegreeColumns);
    parallel_for(std::ssize(nodes), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const WholeDegree d = degree_of(nodes[i]);
        const double row[] = {d.in_edges, d.in_weight, d.out_edges, d.out_weight, d.loops};
        std::ranges::copy(row, values.begin() + i * kDegreeColumns);
      }
    });
    const int64_t shape[] = {std::ssize(nodes), kDegreeColumns};
    save_npy<double>(file, values, shape);
  }

  LocalGraph local_graph(int64_t shard, std::span<const int64_t> own) const {
    std::vector<int64_t> offsets(own.size() + 1);
    for (size_t i = 0; i < own.size(); ++i) offsets[i + 1] = offsets[i] + graph_.degree(own[i]);
    std::vector<int64_t> entries(static_cast<size_t>(offsets.back()));
    std::vector<float> weights(graph_.weighted() ? entries.size() : 0);
    parallel_for_weighted(offsets, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t at = offsets[i];
        for (const int32_t u : graph_.row(own[i])) entries[at++] = (*new_ids_)[u];
        std::ranges::copy(graph_.row_weights(own[i]), weights.begin() + offsets[i]);
      }
    });
    LocalGraph out = localize(std::move(offsets), entries, weights, index_.offsets[shard],
                              shard_folder(shard).string());
    out.graph.symmetric = graph_.symmetric && out.halo.empty();
    return out;
  }

  Labels local_labels(std::span<const int32_t> own, int64_t nodes) const {
    const Labels& whole = data_.labels;
    Labels out;
    out.task = whole.task, out.classes = whole.classes;
    if (whole.task == Task::none) return out;
    if (whole.task != Task::multilabel) {
      std::vector<int32_t> single(static_cast<size_t>(nodes), -1);
      for (size_t i = 0; i < own.size(); ++i) single[i] = whole.single[own[i]];
      out.single = std::move(single);
      return out;
    }
    std::vector<uint8_t> multi(static_cast<size_t>(nodes * whole.classes), Labels::kUnknown);
    for (size_t i = 0; i < own.size(); ++i)
      std::ranges::copy(whole.multi.slice(own[i] * whole.classes, (own[i] + 1) * whole.classes),
                        multi.begin() + static_cast<int64_t>(i) * whole.classes);
    out.multi = std::move(multi);
    return out;
  }

  static std::vector<int32_t> local_set(const std::vector<int32_t>& whole,
                                        std::span<const int32_t> own) {
    std::vector<int32_t> out;
    for (size_t i = 0; i < own.size(); ++i)
      if (std::ranges::binary_search(whole, own[i])) out.push_back(static_cast<int32_t>(i));
    return out;
  }

  void write_shard(int64_t shard) {
    const auto own_ids =
        old_ids_->values().subspan(static_cast<size_t>(index_.offsets[shard]),
                                   static_cast<size_t>(index_.shards[shard].nodes));
    LocalGraph local = local_graph(shard, own_ids);
    ShardEntry& entry = index_.shards[shard];
    entry.halo = std::ssize(local.halo);
    entry.edges = local.graph.edges();
    entry.cut_edges = local.cut_edges;
    index_.cut_edges += entry.cut_edges;

    // Numbers before sharding, of the own nodes and then of the halo.
    std::vector<int64_t> old(own_ids.begin(), own_ids.end());
    for (const int64_t id : local.halo) old.push_back((*old_ids_)[id]);
    const std::vector<int32_t> nodes(old.begin(), old.end());
    const auto own = std::span(nodes).first(own_ids.size());

    Dataset part;
    part.name = data_.name, part.format = data_.format, part.treatment = data_.treatment;
    part.graph = std::move(local.graph);
    part.raw_edges = part.graph.edges();
    part.features = gather(data_.features, nodes);
    part.labels = local_labels(own, std::ssize(nodes));
    for (const Split& split : data_.splits)
      part.splits.push_back(
          {local_set(split.train, own), local_set(split.val, own), local_set(split.test, own)});
    for (const int32_t v : nodes)
      if (!data_.node_ids.empty()) part.node_ids.push_back(data_.node_ids[v]);
    part.feature_names = data_.feature_names;
    part.feature_treatment = data_.feature_treatment;  // with the recipe of a table
    part.class_names = data_.class_names;

    const fs::path folder = shard_folder(shard);
    save_dataset(part, folder, /*overwrite=*/false);
    save_npy<int64_t>(folder / kHaloFile, local.halo);
    save_npy<int64_t>(folder / kOldIdsFile, old);
    save_degrees(folder / kOwnDegreesFile, own);
    save_degrees(folder / kHaloDegreesFile, std::span(nodes).subspan(own.size()));
  }

  void write_sends(int64_t shard, const std::vector<Array<int64_t>>& halos) const {
    const int64_t begin = index_.offsets[shard], end = index_.offsets[shard + 1];
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> send;
    for (const auto& halo : halos) {
      const auto last = std::lower_bound(halo.begin(), halo.end(), end);
      for (auto id = std::lower_bound(halo.begin(), last, begin); id != last; ++id)
        send.push_back(static_cast<int32_t>(*id - begin));
      offsets.push_back(std::ssize(send));
    }
    save_npy<int64_t>(shard_folder(shard) / kSendOffsetsFile, offsets);
    save_npy<int32_t>(shard_folder(shard) / kSendFile, send);
  }

  void describe_shard(int64_t shard) {
    const fs::path folder = shard_folder(shard);
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    Json files = Json::object();
    for (const std::string& name : names)
      files[name] = {{"bytes", fs::file_size(folder / name)},
                     {"hash", hash_of_file(folder / name)}};
    write_file(folder / kShardFile, Json{{"format", kShardFormat},
                                         {"version", kShardsVersion},
                                         {"shard", shard},
                                         {"shards", index_.size()},
                                         {"files", files}}
                                            .dump(2) +
                                        '\n');
    index_.shards[shard].hash = hash_of_file(folder / kShardFile);
  }

  void describe_all() {
    new_ids_.reset(), old_ids_.reset();
    Json shards = Json::array();
    for (const ShardEntry& entry : index_.shards)
      shards.push_back({{"nodes", entry.nodes},
                        {"halo", entry.halo},
                        {"edges", entry.edges},
                        {"cut_edges", entry.cut_edges},
                        {"hash", entry.hash}});
    const Features& features = data_.features;
    const Json all{
        {"format", kShardsFormat},
        {"version", kShardsVersion},
        {"name", data_.name},
        {"nodes", data_.nodes()},
        {"edges", graph_.edges()},
        {"symmetric", graph_.symmetric},
        {"weighted", graph_.weighted()},
        {"features",
         {{"kind", features.width() == 0 ? "none"
                   : features.sparse()   ? "sparse"
                                         : "dense"},
          {"width", features.width()}}},
        {"labels", {{"task", task_name(data_.labels.task)}, {"classes", data_.labels.classes}}},
        {"splits", data_.splits.size()},
        {"treatment", data_.treatment},
        {"partitioner", index_.partitioner},
        {"cut_edges", index_.cut_edges},
        {"offsets", index_.offsets},
        {"shards", shards},
        {"tables",
         {{"new_ids", hash_of_file(folder_ / kNewIdsFile)},
          {"old_ids", hash_of_file(folder_ / kOldIdsFile)}}}};
    write_file(folder_ / kShardsFile,
               all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
  }

  const Dataset& data_;
  const Csr& graph_;
  const fs::path& folder_;
  Progress& progress_;
  ShardIndex index_;
  std::optional<Table<int64_t>> new_ids_, old_ids_;
  std::optional<Table<double>> out_degrees_;  // [N, 2]; a symmetric graph has none
};

// The first file that is not ours in a sharded folder's entry: a file, or the folder of a shard.
std::string foreign_entry(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (name == kShardsFile || name == kNewIdsFile || name == kOldIdsFile) return "";
  std::error_code error;
  if (!is_shard_name(name) || !entry.is_directory(error)) return name;
  for (const auto& inner : fs::directory_iterator(entry.path(), error)) {
    const std::string file = inner.path().filename().string();
    if (file != kShardFile && !is_dataset_file(file) &&
        std::ranges::find(kShardOnlyFiles, file) == std::end(kShardOnlyFiles))
      return name + "/" + file;
  }
  return "";
}

constexpr OwnFolder kShardedFolder{kShardsFile, kShardsFormat, "sharded folder", "'data shard'",
                                   foreign_entry};

}  // namespace

void check_shards_output(const fs::path& target, bool overwrite,
                         const std::vector<fs::path>& inputs) {
  check_own_output(kShardedFolder, target, overwrite, inputs);
}

ShardIndex save_shards(const Dataset& data, const ShardOptions& options, const fs::path& target,
                       bool overwrite, Progress& progress) {
  check_shards_output(target, overwrite);
  AtomicFolder folder(target, overwrite);
  naming_target(folder.path(), target,
                [&] { ShardWriter(data, options, folder.path(), progress).write(); });
  folder.commit();
  return read_shard_index(target);
}

}  // namespace gs
