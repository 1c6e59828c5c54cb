// A GraphSAINT folder (Flickr, Yelp): adj_full.npz (scipy CSR), feats.npy, class_map.json ({"node":
// class} or {"node": [0, 1, ...]} where a node has several) and role.json ({"tr": [...], "va":
// [...], "te": [...]}).
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "dataset/readers/json.h"
#include "dataset/readers/npz_parts.h"
#include "dataset/readers/table.h"

namespace gs {

namespace {

using simdjson::ondemand::json_type;

// class_map.json, entry by entry: for Yelp it is hundreds of megabytes, so that only the label
// table itself is built.
class ClassMap {
 public:
  ClassMap(const fs::path& path, int64_t nodes)
      : json_(path), nodes_(nodes), single_(nodes, -1), seen_(nodes) {}

  Labels read() {
    for (auto entry : json_.object()) {
      auto field = json_.get(std::move(entry), "");
      const std::string_view key = json_.key(field);
      const int64_t node = json_.node(key, nodes_, key);
      if (seen_[node])
        fail_data(json_.place(key), "the node has a label already", "every node is listed once");
      seen_[node] = true;
      read_label(node, key, field.value());
    }
    json_.finish();
    if (classes_ > 0) return {Task::multilabel, classes_, {}, std::move(multi_)};
    return class_labels(std::move(single_), json_.path());
  }

 private:
  void read_label(int64_t node, std::string_view key, simdjson::ondemand::value value) {
    const json_type type = json_.get(value.type(), "{}", key);
    // Unlabeled. The type is only guessed from the first letter, so that the rest of it is looked
    // at here.
    if (type == json_type::null && json_.get(value.is_null(), "{}", key)) return;
    const bool list = type == json_type::array;
    if (kind_known_ && list != (classes_ > 0)) {
      fail_data(json_.place(key), "a class number and a list of zeros and ones in one file",
                "give every node the same kind of label");
    }
    if (!list) {
      const int64_t label = json_.get(value.get_int64(), "{}", key);
      if (label > std::numeric_limits<int32_t>::max()) {
        fail_data(json_.place(key), fmt::format("class {} is too large", label),
                  "classes are numbered from 0");
      }
      single_[node] = static_cast<int32_t>(std::max<int64_t>(label, -1));
    } else {
      read_list(node, key, json_.get(value.get_array(), "{}", key));
    }
    kind_known_ = true;
  }

  void read_list(int64_t node, std::string_view key, simdjson::ondemand::array list) {
    row_.clear();
    json_.each(list, key, [&](auto element, int64_t index) {
      const int64_t flag = json_.get(element.get_int64(), "{}[{}]", key, index);
      if (flag != 0 && flag != 1) {
        fail_data(json_.place(fmt::format("{}[{}]", key, index)), fmt::format("label is {}", flag),
                  "a list of labels has a 0 or 1 for every class");
      }
      row_.push_back(static_cast<uint8_t>(flag));
    });
    const auto length = static_cast<int64_t>(row_.size());
    if (!kind_known_) begin_table(key, length);
    if (length != classes_) {
      fail_data(json_.place(key),
                fmt::format("{} labels, but the first node has {}", length, classes_),
                "every list must have one entry for every class");
    }
    std::copy(row_.begin(), row_.end(), multi_.begin() + node * classes_);
  }

  void begin_table(std::string_view key, int64_t classes) {
    // The table is dense: a file much smaller than it does not describe this graph.
    if (classes == 0 || classes > json_.bytes() ||
        nodes_ > kTableBytesPerByte * json_.bytes() / classes) {
      fail_data(json_.place(key),
                fmt::format("{} classes for {} nodes do not fit this file", classes, nodes_),
                "a list of labels has a 0 or 1 for every class, and every node has one");
    }
    classes_ = classes;
    single_ = {};
    multi_.assign(nodes_ * classes, Labels::kUnknown);
  }

  static constexpr int64_t kTableBytesPerByte = 1024;

  JsonFile json_;
  int64_t nodes_, classes_ = 0;  // classes_ > 0: multi-label
  bool kind_known_ = false;
  std::vector<int32_t> single_;
  std::vector<uint8_t> multi_, row_;
  std::vector<bool> seen_;
};

Split read_roles(const fs::path& path, int64_t nodes) {
  JsonFile json(path);
  Split split;
  bool seen[3] = {};
  for (auto entry : json.object()) {
    auto field = json.get(std::move(entry), "");
    const std::string_view role = json.key(field);
    const int part = role == "tr" ? 0 : role == "va" ? 1 : role == "te" ? 2 : -1;
    if (part < 0) continue;
    if (std::exchange(seen[part], true)) {
      fail_data(json.place(role), "the key occurs twice", "give tr, va and te one list each");
    }
    auto& ids = part == 0 ? split.train : part == 1 ? split.val : split.test;
    json.each(json.get(field.value().get_array(), "{}", role), role,
              [&](auto element, int64_t index) {
                const int64_t id = json.get(element.get_int64(), "{}[{}]", role, index);
                ids.push_back(static_cast<int32_t>(json.node(id, nodes, role)));
              });
    std::sort(ids.begin(), ids.end());
    if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end()) {
      fail_data(json.place(role), fmt::format("node {} is listed twice", *twice),
                "list every node once");
    }
  }
  json.finish();
  for (int part = 0; part < 3; ++part) {
    if (!seen[part]) {
      constexpr const char* kRoles[] = {"tr", "va", "te"};
      fail_data(path.string(), fmt::format("no key '{}'", kRoles[part]),
                "role.json lists the nodes for training (tr), validation (va) and test (te)");
    }
  }
  return split;
}

}  // namespace

bool detect_graphsaint(const fs::path& path) {
  return folder_with(path, {"adj_full.npz"}).has_value();
}

RawDataset read_graphsaint(const ReadRequest& request) {
  const fs::path folder =
      require_folder(request.path, {"adj_full.npz", "feats.npy", "class_map.json", "role.json"});
  Progress& progress = *request.progress;
  progress.start("reading", 4, "files");
  RawDataset raw;
  raw.name = dataset_name(folder);
  {
    const Npz file(folder / "adj_full.npz");
    raw.edges_where = file.path();
    raw.edges = scipy_edges(file);  // PyG adds no direction and drops no loop here
    raw.nodes = raw.edges.nodes;
  }
  progress.advance(1);
  const NpyArray feats = load_npy(folder / "feats.npy");
  raw.features_where = feats.where;
  raw.features = dense_features(feats, raw.nodes);
  raw.has_features = true;
  progress.advance(1);
  raw.labels_where = (folder / "class_map.json").string();
  raw.labels = ClassMap(folder / "class_map.json", raw.nodes).read();
  progress.advance(1);
  raw.splits_where = (folder / "role.json").string();
  raw.splits = {read_roles(folder / "role.json", raw.nodes)};
  progress.finish();
  return raw;
}

}  // namespace gs
