// WikiCS (Mernyei and Cangea 2020): one data.json with features [N][300], labels [N], links [N]
// (node i links to each entry of links[i]), train_masks, val_masks and stopping_masks [20][N], and
// one test_mask [N] for all. The graph stays directed, as the paper of the method counts it. The
// stopping masks (for early stopping) are not used.
#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "base/file.h"
#include "dataset/readers/json.h"
#include "dataset/readers/npz_parts.h"
#include "dataset/readers/table.h"

namespace gs {
namespace {

constexpr const char* kHint =
    "compare with the published data.json of WikiCS, or download it again";
constexpr std::array<std::string_view, 4> kNeeded{"features", "labels", "links", "test_mask"};

fs::path json_path(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  if (const auto folder = folder_with(path, {"data.json"})) return *folder / "data.json";
  fail_data(path.string(), "no data.json in this folder", "WikiCS is one file, data.json");
}

struct Parts {
  std::vector<float> features;
  int64_t rows = 0, width = -1;
  std::vector<int32_t> labels;
  EdgeList edges;
  int64_t link_lists = 0;
  std::vector<std::vector<bool>> train, val, test;
  std::vector<std::string> seen;
};

using Value = simdjson::ondemand::value;

void read_features(JsonFile& json, Value value, Parts& parts) {
  parts.rows =
      json.each(json.get(value.get_array(), "features"), "features", [&](Value row, int64_t i) {
        const size_t before = parts.features.size();
        json.each(json.get(row.get_array(), "features[{}]", i), "features",
                  [&](Value x, int64_t k) {
                    parts.features.push_back(
                        static_cast<float>(json.get(x.get_double(), "features[{}][{}]", i, k)));
                  });
        const auto width = static_cast<int64_t>(parts.features.size() - before);
        if (parts.width < 0) parts.width = width;
        if (width != parts.width) {
          fail_data(json.place(fmt::format("features[{}]", i)),
                    fmt::format("{} numbers, the rows before have {}", width, parts.width), kHint);
        }
      });
}

void read_labels(JsonFile& json, Value value, Parts& parts) {
  json.each(json.get(value.get_array(), "labels"), "labels", [&](Value x, int64_t i) {
    const int64_t label = json.get(x.get_int64(), "labels[{}]", i);
    if (label < -1 || label > std::numeric_limits<int32_t>::max() - 1) {
      fail_data(json.place(fmt::format("labels[{}]", i)), fmt::format("{} is not a class", label),
                kHint);
    }
    parts.labels.push_back(static_cast<int32_t>(label));
  });
}

void read_links(JsonFile& json, Value value, Parts& parts) {
  parts.link_lists =
      json.each(json.get(value.get_array(), "links"), "links", [&](Value row, int64_t i) {
        json.each(json.get(row.get_array(), "links[{}]", i), "links", [&](Value x, int64_t k) {
          const int64_t target = json.get(x.get_int64(), "links[{}][{}]", i, k);
          // The number of nodes may not be known yet; it is checked at the end.
          json.node(target, std::numeric_limits<int32_t>::max(), "links");
          parts.edges.source.push_back(static_cast<int32_t>(i));
          parts.edges.target.push_back(static_cast<int32_t>(target));
        });
      });
}

std::vector<bool> read_mask(JsonFile& json, Value value, const std::string& name) {
  std::vector<bool> mask;
  json.each(json.get(value.get_array(), "{}", name), name, [&](Value x, int64_t i) {
    if (json.get(x.type(), "{}[{}]", name, i) == simdjson::ondemand::json_type::boolean) {
      mask.push_back(json.get(x.get_bool(), "{}[{}]", name, i));
      return;
    }
    const int64_t number = json.get(x.get_int64(), "{}[{}]", name, i);
    if (number != 0 && number != 1) {
      fail_data(json.place(fmt::format("{}[{}]", name, i)), fmt::format("{} in a mask", number),
                "a mask holds true and false");
    }
    mask.push_back(number == 1);
  });
  return mask;
}

std::vector<std::vector<bool>> read_masks(JsonFile& json, Value value, const std::string& name) {
  std::vector<std::vector<bool>> masks;
  json.each(json.get(value.get_array(), "{}", name), name, [&](Value row, int64_t k) {
    masks.push_back(read_mask(json, row, fmt::format("{}[{}]", name, k)));
  });
  return masks;
}

Parts read_parts(JsonFile& json) {
  Parts parts;
  for (auto entry : json.object()) {
    auto field = json.get(std::move(entry), "a key");
    const std::string key(json.key(field));
    if (std::find(parts.seen.begin(), parts.seen.end(), key) != parts.seen.end()) {
      fail_data(json.place(key), "the key is there twice", kHint);
    }
    parts.seen.push_back(key);
    if (key == "features") read_features(json, field.value(), parts);
    if (key == "labels") read_labels(json, field.value(), parts);
    if (key == "links") read_links(json, field.value(), parts);
    if (key == "train_masks") parts.train = read_masks(json, field.value(), key);
    if (key == "val_masks") parts.val = read_masks(json, field.value(), key);
    if (key == "test_mask") parts.test = {read_mask(json, field.value(), key)};
  }
  json.finish();
  for (const auto needed : kNeeded) {
    if (std::find(parts.seen.begin(), parts.seen.end(), needed) == parts.seen.end()) {
      fail_data(json.path(), fmt::format("'{}' is missing", needed), kHint);
    }
  }
  return parts;
}

std::vector<int32_t> mask_nodes(const JsonFile& json, const std::vector<bool>& mask, int64_t nodes,
                                const std::string& name) {
  if (static_cast<int64_t>(mask.size()) != nodes) {
    fail_data(json.place(name), fmt::format("{} entries for {} nodes", mask.size(), nodes), kHint);
  }
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < nodes; ++i) {
    if (mask[i]) ids.push_back(static_cast<int32_t>(i));
  }
  return ids;
}

std::vector<Split> splits_of(const JsonFile& json, const Parts& parts) {
  if (parts.train.size() != parts.val.size()) {
    fail_data(json.place("val_masks"),
              fmt::format("{} masks, train_masks has {}", parts.val.size(), parts.train.size()),
              kHint);
  }
  std::vector<Split> splits;
  for (size_t k = 0; k < parts.train.size(); ++k) {
    splits.push_back(
        {mask_nodes(json, parts.train[k], parts.rows, fmt::format("train_masks[{}]", k)),
         mask_nodes(json, parts.val[k], parts.rows, fmt::format("val_masks[{}]", k)),
         mask_nodes(json, parts.test[0], parts.rows, "test_mask")});
  }
  return splits;
}

}  // namespace

bool detect_wikics(const fs::path& path) {
  try {
    fs::path file = path;
    if (fs::is_directory(path)) {
      const auto folder = folder_with(path, {"data.json"});
      if (!folder) return false;
      file = *folder / "data.json";
    }
    if (file.extension() != ".json" || !fs::is_regular_file(file)) return false;
    const MappedFile mapped(file);
    std::string_view text = mapped.text().substr(0, 4096);
    const size_t open = text.find_first_not_of(" \t\r\n");
    if (open == std::string_view::npos || text[open] != '{') return false;
    const size_t quote = text.find_first_not_of(" \t\r\n", open + 1);
    if (quote == std::string_view::npos) return false;
    text.remove_prefix(quote);
    for (const std::string_view key : {"\"features\"", "\"labels\"", "\"links\"", "\"train_masks\"",
                                       "\"val_masks\"", "\"stopping_masks\"", "\"test_mask\""}) {
      if (text.starts_with(key)) return true;
    }
    return false;
  } catch (const std::exception&) {
    return false;
  }
}

RawDataset read_wikics(const ReadRequest& request) {
  const fs::path file = json_path(request.path);
  JsonFile json(file);
  Parts parts = read_parts(json);
  const int64_t nodes = parts.rows;
  if (nodes == 0) fail_data(json.place("features"), "no rows", kHint);
  if (parts.link_lists != nodes) {
    fail_data(json.place("links"), fmt::format("{} lists for {} nodes", parts.link_lists, nodes),
              kHint);
  }
  if (static_cast<int64_t>(parts.labels.size()) != nodes) {
    fail_data(json.place("labels"),
              fmt::format("{} labels for {} nodes", parts.labels.size(), nodes), kHint);
  }
  for (int64_t e = 0; e < parts.edges.size(); ++e) {
    if (parts.edges.target[e] < nodes) continue;  // the place is formatted only when it is needed
    json.node(parts.edges.target[e], nodes, fmt::format("links[{}]", parts.edges.source[e]));
  }

  RawDataset raw;
  raw.name = file.filename() == "data.json" && !file.parent_path().empty()
                 ? dataset_name(file.parent_path())
                 : dataset_name(file);
  raw.splits = splits_of(json, parts);
  raw.nodes = parts.edges.nodes = nodes;
  raw.edges = std::move(parts.edges);
  raw.features = {DenseMatrix{nodes, parts.width, std::move(parts.features)}};
  raw.has_features = true;
  raw.edges_where = json.place("links");
  raw.features_where = json.place("features");
  raw.labels_where = json.place("labels");
  raw.splits_where = json.place("train_masks");
  raw.labels = class_labels(std::move(parts.labels), raw.labels_where);
  return raw;
}

}  // namespace gs
