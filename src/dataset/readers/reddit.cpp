// Reddit as DGL publishes it and PyG reads it: reddit_data.npz (`feature` [N, 602], `label`,
// `node_types` of 1, 2, 3 for training, validation and test, `node_ids`) and reddit_graph.npz (a
// scipy COO of 114.6 million entries).
#include <fmt/format.h>

#include "base/error.h"
#include "dataset/readers/npz_parts.h"
#include "dataset/readers/table.h"

namespace gs {

namespace {

Array<int32_t> node_values(const Npz& file, const char* member, int64_t nodes) {
  const NpyArray array = file.get(member);
  array.require_dims(1);
  if (array.count() != nodes) {
    fail_data(array.where, fmt::format("{} entries for {} nodes", array.count(), nodes),
              "there must be one entry for every node");
  }
  return array.as<int32_t>();
}

Split split_by_type(const Npz& file, int64_t nodes) {
  const Array<int32_t> types = node_values(file, "node_types", nodes);
  Split split;
  for (int32_t node = 0; node < nodes; ++node) {
    switch (types[node]) {
      case 0:
        break;
      case 1:
        split.train.push_back(node);
        break;
      case 2:
        split.val.push_back(node);
        break;
      case 3:
        split.test.push_back(node);
        break;
      default:
        fail_data(member_place(file, "node_types"),
                  fmt::format("node {} has type {}", node, types[node]),
                  "types are 1 (training), 2 (validation), 3 (test), or 0 (none)");
    }
  }
  return split;
}

// Empty when they are just 0..N-1.
std::vector<std::string> original_ids(const Npz& file, int64_t nodes) {
  if (!file.has("node_ids")) return {};
  const Array<int32_t> ids = node_values(file, "node_ids", nodes);
  bool plain = true;
  for (int64_t node = 0; node < nodes && plain; ++node) plain = ids[node] == node;
  if (plain) return {};
  std::vector<std::string> names;
  names.reserve(nodes);
  for (const int32_t id : ids) names.push_back(std::to_string(id));
  return names;
}

}  // namespace

bool detect_reddit(const fs::path& path) {
  return folder_with(path, {"reddit_data.npz"}) || folder_with(path, {"reddit_graph.npz"});
}

RawDataset read_reddit(const ReadRequest& request) {
  const fs::path folder = require_folder(request.path, {"reddit_graph.npz", "reddit_data.npz"});
  request.progress->start("reading Reddit", 2, "files");
  RawDataset raw;
  raw.name = "reddit";
  {
    const Npz file(folder / "reddit_graph.npz");
    raw.edges_where = file.path();
    raw.edges = scipy_edges(file);  // already has both directions: kept as it is
    raw.nodes = raw.edges.nodes;
  }
  request.progress->advance(1);
  const Npz file(folder / "reddit_data.npz");
  raw.features_where = member_place(file, "feature");
  raw.features = dense_features(file.get("feature"), raw.nodes);
  raw.has_features = true;
  raw.labels_where = member_place(file, "label");
  raw.labels = npy_labels(file.get("label"), raw.nodes);
  raw.splits_where = member_place(file, "node_types");
  raw.splits = {split_by_type(file, raw.nodes)};
  raw.node_ids = original_ids(file, raw.nodes);
  request.progress->finish();
  return raw;
}

}  // namespace gs
