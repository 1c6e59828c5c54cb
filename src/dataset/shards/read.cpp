#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/npy.h"
#include "base/parallel.h"
#include "base/text.h"
#include "dataset/folder/description.h"
#include "dataset/folder/folder.h"
#include "dataset/folder/layout.h"
#include "dataset/load.h"
#include "dataset/shards/layout.h"

namespace gs {

namespace {

constexpr int64_t kGrain = 1 << 16;
constexpr const char* kOther =
    "is the folder complete, and of one 'data shard'? 'data info --verify' checks every file";

fs::path folder_of(const fs::path& path) {
  if (path.filename() != kShardsFile) return path;
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Counts that every shard and all of them together must satisfy.
void check_index(const ShardIndex& index, const std::string& where) {
  const auto wrong = [&](const std::string& what) { fail_data(where, what, kDamagedFolder); };
  const int64_t shards = index.size();
  if (shards < 1 || shards > kMostShards) wrong(fmt::format("lists {} shards", shards));
  if (std::ssize(index.offsets) != shards + 1 || index.offsets.front() != 0 ||
      index.offsets.back() != index.nodes)
    wrong(fmt::format("\"offsets\" are not {} numbers from 0 to {}", shards + 1, index.nodes));
  int64_t edges = 0, cut = 0;
  for (int64_t s = 0; s < shards; ++s) {
    const ShardEntry& entry = index.shards[s];
    // In this order, so that nothing overflows.
    if (index.offsets[s + 1] <= index.offsets[s] ||
        index.offsets[s + 1] - index.offsets[s] != entry.nodes)
      wrong(fmt::format("shard {} has {} nodes, but offsets {} to {}", s, entry.nodes,
                        index.offsets[s], index.offsets[s + 1]));
    if (entry.nodes > INT32_MAX || entry.halo > INT32_MAX - entry.nodes ||
        entry.halo > index.nodes - entry.nodes)
      wrong(fmt::format("shard {} has {} nodes and a halo of {}", s, entry.nodes, entry.halo));
    if (entry.cut_edges > entry.edges || entry.halo > entry.cut_edges)
      wrong(fmt::format("shard {} has {} edges, {} of them cut, and a halo of {}", s, entry.edges,
                        entry.cut_edges, entry.halo));
    if (entry.edges > index.edges - edges) wrong("shards have more edges than the graph");
    edges += entry.edges, cut += entry.cut_edges;
  }
  if (edges != index.edges || cut != index.cut_edges)
    wrong(fmt::format("shards have {} edges, {} of them cut; the graph has {}, {} of them cut",
                      edges, cut, index.edges, index.cut_edges));
}

// The arrays beside a shard's dataset.
class ShardReader {
 public:
  ShardReader(const ShardIndex& index, int64_t shard)
      : index_(index),
        shard_(shard),
        entry_(index.shards[shard]),
        folder_(index.folder / shard_name(shard)) {}

  Shard open() {
    check_files();
    Shard out;
    out.first = shard_, out.last = shard_ + 1;
    out.begin = index_.offsets[shard_], out.own = entry_.nodes;
    out.data = read_data();
    out.halo = ShardReader::halo(index_, shard_);
    out.halo_offsets = halo_offsets(index_, out.halo);
    out.old_ids = load<int64_t>(kOldIdsFile, {out.nodes()});
    each(kOldIdsFile, out.old_ids, [&](int64_t id) { return id >= 0 && id < index_.nodes; });
    out.degrees = read_degrees(out);
    read_sends(out);
    return out;
  }

  static Array<int64_t> halo(const ShardIndex& index, int64_t shard) {
    const ShardReader reader(index, shard);
    const Array<int64_t> ids = reader.load<int64_t>(kHaloFile, {reader.entry_.halo});
    const int64_t begin = index.offsets[shard], end = index.offsets[shard + 1];
    int64_t previous = -1;
    for (const int64_t id : ids) {
      if (id <= previous || id >= index.nodes || (id >= begin && id < end))
        fail_data(reader.place(kHaloFile), fmt::format("node {} cannot be in this halo there", id),
                  kOther);
      previous = id;
    }
    return ids;
  }

 private:
  std::string place(std::string_view file) const { return (folder_ / file).string(); }

  template <class T>
  Array<T> load(std::string_view name, const std::vector<int64_t>& shape) const {
    const NpyArray array = load_npy(folder_ / name);
    if (array.shape != shape)
      fail_data(
          array.where,
          fmt::format("has shape {} instead of {}", shape_text(array.shape), shape_text(shape)),
          kOther);
    return array.as<T>();
  }
  template <class T, class Good>
  void each(std::string_view file, const Array<T>& values, const Good& good) const {
    parallel_for(values.size(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        if (!good(values[i]))
          fail_data(place(file), fmt::format("entry {} is {}, which cannot be", i, values[i]),
                    kOther);
    });
  }

  // Sizes now, contents in verify_shards().
  void check_files() const {
    const fs::path file = folder_ / kShardFile;
    if (hash_of_file(file) != entry_.hash)
      fail_data(file.string(), fmt::format("is not the one that {} was written with", kShardsFile),
                kOther);
    const Description about(file, kShardFormat, kShardsVersion, "shard");
    for (const auto& [name, size] : shard_files(about)) {
      std::error_code error;
      const auto found = static_cast<int64_t>(fs::file_size(folder_ / name, error));
      if (error) fail_data(place(name), "cannot be read: " + error.message(), kOther);
      if (found != size)
        fail_data(place(name), fmt::format("has {} bytes instead of {}", found, size), kOther);
    }
  }

  struct FileSize {
    std::string name;
    int64_t bytes;
  };
  static std::vector<FileSize> shard_files(const Description& about) {
    std::vector<FileSize> out;
    for (const auto& [name, unused] : about.object("/files").items()) {
      if (!is_dataset_file(name) &&
          std::ranges::find(kShardOnlyFiles, name) == std::end(kShardOnlyFiles))
        fail_data(about.path(), fmt::format("lists the file '{}'", printable(name)), kOther);
      out.push_back({name, about.number("/files/" + name + "/bytes")});
    }
    return out;
  }

  Dataset read_data() const {
    ReadRequest request;
    request.path = folder_;
    LoadOptions options;
    options.features = FeatureRule::raw;  // they were treated before
    Dataset data = prepare(read_raw(read_folder, request), "folder", options);
    data.name = index_.name;
    data.notes.clear();
    const Csr& graph = data.graph;
    const auto wrong = [&](const std::string& what) {
      fail_data(place(kDatasetFile), what, kOther);
    };
    if (data.nodes() != entry_.nodes + entry_.halo || graph.edges() != entry_.edges)
      wrong(fmt::format("has {} nodes and {} edges; {} says {} and {}", data.nodes(), graph.edges(),
                        kShardsFile, entry_.nodes + entry_.halo, entry_.edges));
    if (graph.offsets[entry_.nodes] != graph.edges()) wrong("nodes of the halo have edges");
    const bool weights = graph.weighted() || graph.edges() == 0;
    if ((index_.weighted ? !weights : graph.weighted()) ||
        data.features.width() != index_.features ||
        (index_.features > 0 && data.features.sparse() != index_.sparse_features) ||
        data.labels.task != index_.task || data.labels.classes != index_.classes ||
        std::ssize(data.splits) != index_.splits)
      wrong(fmt::format("weights, features, labels or splits are not as {} says", kShardsFile));
    int64_t cut = 0;
    std::vector<bool> used(static_cast<size_t>(entry_.halo));
    for (const int32_t u : graph.neighbors) {
      if (u < entry_.nodes) continue;
      ++cut;
      used[u - entry_.nodes] = true;
    }
    if (cut != entry_.cut_edges)
      wrong(fmt::format("has {} cut edges; {} says {}", cut, kShardsFile, entry_.cut_edges));
    if (const auto idle = std::ranges::find(used, false); idle != used.end())
      wrong(fmt::format("no edge begins at node {} of the halo", idle - used.begin()));
    return data;
  }

  Array<double> read_degrees(const Shard& shard) const {
    const auto own = load<double>(kOwnDegreesFile, {entry_.nodes, kDegreeColumns});
    const auto halo = load<double>(kHaloDegreesFile, {entry_.halo, kDegreeColumns});
    const auto possible = [](double value) { return value >= 0 && std::isfinite(value); };
    each(kOwnDegreesFile, own, possible);
    each(kHaloDegreesFile, halo, possible);
    std::vector<double> both(own.begin(), own.end());
    both.insert(both.end(), halo.begin(), halo.end());
    for (int64_t v = 0; v < shard.own; ++v)
      if (both[v * kDegreeColumns] != static_cast<double>(shard.data.graph.degree(v)))
        fail_data(place(kOwnDegreesFile),
                  fmt::format("node {} has {} edges in instead of {}", v, both[v * kDegreeColumns],
                              shard.data.graph.degree(v)),
                  kOther);
    return both;
  }

  void read_sends(Shard& out) const {
    out.send_offsets = load<int64_t>(kSendOffsetsFile, {index_.size() + 1});
    const NpyArray send = load_npy(folder_ / kSendFile);
    send.require_dims(1);
    out.send = send.as<int32_t>();
    bool good = out.send_offsets[0] == 0 && out.send_offsets[index_.size()] == out.send.size();
    for (int64_t t = 0; good && t < index_.size(); ++t)
      good = out.send_offsets[t + 1] >= out.send_offsets[t];
    if (!good)
      fail_data(place(kSendOffsetsFile),
                fmt::format("does not ascend from 0 to {}", out.send.size()), kOther);
    for (int64_t t = 0; t < index_.size(); ++t) {
      int32_t previous = -1;
      for (const int32_t v : out.send.slice(out.send_offsets[t], out.send_offsets[t + 1])) {
        if (v <= previous || v >= out.own || t == shard_)
          fail_data(place(kSendFile), fmt::format("node {} cannot be sent to shard {}", v, t),
                    kOther);
        previous = v;
      }
    }
  }

  const ShardIndex& index_;
  int64_t shard_;
  const ShardEntry& entry_;
  fs::path folder_;
};

Array<int64_t> read_table(const ShardIndex& index, std::string_view name) {
  const NpyArray array = load_npy(index.folder / name);
  const std::vector<int64_t> shape{index.nodes};
  if (array.shape != shape)
    fail_data(array.where,
              fmt::format("has shape {} instead of {}", shape_text(array.shape), shape_text(shape)),
              kOther);
  return array.as<int64_t>();
}

void check_hash(const fs::path& file, const std::string& wanted) {
  if (hash_of_file(file) != wanted)
    fail_data(file.string(), "its content is not what was written", kDamagedFolder);
}

}  // namespace

bool is_sharded(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(folder_of(path) / kShardsFile, ignored);
}

ShardIndex read_shard_index(const fs::path& path) {
  const fs::path file = folder_of(path) / kShardsFile;
  const Description about(file, kShardsFormat, kShardsVersion, "set of shards");
  ShardIndex index;
  index.folder = folder_of(path);
  index.hash = hash_of_file(file);
  index.name = about.text("/name");
  index.treatment = about.text("/treatment");
  index.nodes = about.number("/nodes");
  index.edges = about.number("/edges");
  index.cut_edges = about.number("/cut_edges");
  index.symmetric = about.flag("/symmetric");
  index.weighted = about.flag("/weighted");
  index.sparse_features = about.text("/features/kind") == "sparse";
  index.features = about.number("/features/width");
  index.task = task_of(about);
  index.classes = about.number("/labels/classes");
  index.splits = about.number("/splits");
  index.partitioner = about.text("/partitioner");
  index.offsets = about.numbers("/offsets");
  const int64_t shards = std::ssize(about.list("/shards"));
  for (int64_t s = 0; s < shards; ++s) {
    const std::string key = fmt::format("/shards/{}", s);
    index.shards.push_back({about.number(key + "/nodes"), about.number(key + "/halo"),
                            about.number(key + "/edges"), about.number(key + "/cut_edges"),
                            about.text(key + "/hash")});
  }
  index.new_hash = about.text("/tables/new_ids");
  index.old_hash = about.text("/tables/old_ids");
  check_index(index, file.string());
  return index;
}

Shard open_shards(const ShardIndex& index, int64_t first, int64_t last) {
  GS_ASSERT(0 <= first && first < last && last <= index.size());
  if (last - first == 1) return ShardReader(index, first).open();
  return merge_shards(index, first, last);
}

Array<int64_t> read_halo(const ShardIndex& index, int64_t shard) {
  return ShardReader::halo(index, shard);
}

Array<int64_t> new_ids(const ShardIndex& index) { return read_table(index, kNewIdsFile); }
Array<int64_t> old_ids(const ShardIndex& index) { return read_table(index, kOldIdsFile); }

void verify_shards(const ShardIndex& index, Progress& progress) {
  progress.start("verifying", index.size() + 1, "shards");
  check_hash(index.folder / kNewIdsFile, index.new_hash);
  check_hash(index.folder / kOldIdsFile, index.old_hash);
  const Array<int64_t> to = new_ids(index), from = old_ids(index);
  for (int64_t v = 0; v < index.nodes; ++v)
    if (to[v] < 0 || to[v] >= index.nodes || from[to[v]] != v)
      fail_data((index.folder / kNewIdsFile).string(),
                fmt::format("node {} becomes {}, which does not lead back to it", v, to[v]),
                kDamagedFolder);
  progress.advance(1);
  for (int64_t s = 0; s < index.size(); ++s) {
    const fs::path folder = index.folder / shard_name(s);
    open_shard(index, s);  // sizes, and shard.json itself
    const Description about(folder / kShardFile, kShardFormat, kShardsVersion, "shard");
    for (const auto& [name, file] : about.object("/files").items())
      check_hash(folder / name, about.text("/files/" + name + "/hash"));
    progress.advance(1);
  }
  progress.finish();
}

}  // namespace gs
