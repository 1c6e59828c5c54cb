// Geom-GCN's text files (Pei et al. 2020; Actor is its "film"): out1_graph_edges.txt with a header
// and "source<TAB>target" rows, out1_node_feature_label.txt with a header and
// "node<TAB>features<TAB>label" rows, NAME_split_0.6_0.2_K.npz. The features are a comma-separated
// vector, or (film) a list of the ids of binary features. They are a vector when every row has as
// many fields and some row repeats a value or holds a fraction: lists of ids do neither. Vectors of
// 0 and 1 become sparse. The graph stays directed and keeps its loops, as PyG keeps it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "dataset/readers/npz_parts.h"
#include "dataset/readers/number_rows.h"
#include "dataset/readers/table.h"
#include "dataset/readers/word_lists.h"

namespace gs {
namespace {

constexpr const char* kEdges = "out1_graph_edges.txt";
constexpr const char* kNodes = "out1_node_feature_label.txt";
constexpr const char* kHint = "compare with the published geom-gcn files, or download them again";
constexpr int64_t kMostIds = std::numeric_limits<int32_t>::max() - 1;

struct NodeRow {
  std::string_view features;  // into the file's text
  int64_t line = 0;
  int32_t label = -1;
};

// Calls body(field) for every comma-separated field; none for an empty list.
template <class Body>
void each_field(std::string_view list, const Body& body) {
  if (trimmed(list).empty()) return;
  for (;;) {
    const size_t comma = list.find(',');
    body(list.substr(0, comma));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

double number_at(std::string_view field, const NodeRow& row, const std::string& where) {
  if (const auto value = parse_number(field)) return *value;
  fail_data(fmt::format("{}:{}", where, row.line),
            fmt::format("feature '{}' is not a number", printable(field)), kHint);
}

bool rows_are_vectors(const std::vector<NodeRow>& rows, const std::string& where) {
  int64_t width = -1;
  bool vector_like = false;
  std::vector<double> values;
  for (const NodeRow& row : rows) {
    values.clear();
    each_field(row.features,
               [&](std::string_view field) { values.push_back(number_at(field, row, where)); });
    if (width < 0) width = static_cast<int64_t>(values.size());
    if (width != static_cast<int64_t>(values.size())) return false;
    if (vector_like) continue;
    std::sort(values.begin(), values.end());
    vector_like = std::adjacent_find(values.begin(), values.end()) != values.end() ||
                  std::any_of(values.begin(), values.end(),
                              [](double v) { return !(v >= 0) || v != std::floor(v); });
  }
  return vector_like;
}

Features vectors(const std::vector<NodeRow>& rows, const std::string& where) {
  std::vector<float> values;
  for (const NodeRow& row : rows) {
    each_field(row.features, [&](std::string_view field) {
      values.push_back(static_cast<float>(number_at(field, row, where)));
    });
  }
  const auto nodes = static_cast<int64_t>(rows.size());
  const int64_t width = static_cast<int64_t>(values.size()) / nodes;
  if (!std::all_of(values.begin(), values.end(), [](float v) { return v == 0 || v == 1; })) {
    return {DenseMatrix{nodes, width, std::move(values)}};
  }
  std::vector<std::vector<int32_t>> words(nodes);
  for (int64_t i = 0; i < nodes; ++i) {
    for (int64_t c = 0; c < width; ++c) {
      if (values[i * width + c] == 1) words[i].push_back(static_cast<int32_t>(c));
    }
  }
  return {from_word_lists(std::move(words), width)};
}

Features id_lists(const std::vector<NodeRow>& rows, const std::string& where) {
  std::vector<std::vector<int32_t>> words(rows.size());
  int64_t width = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    each_field(rows[i].features, [&](std::string_view field) {
      const auto id = parse_integer(field);
      if (!id || *id < 0 || *id > kMostIds) {
        fail_data(fmt::format("{}:{}", where, rows[i].line),
                  fmt::format("'{}' is not a feature id", printable(field)),
                  "rows of different lengths are lists of feature ids, whole numbers from 0");
      }
      words[i].push_back(static_cast<int32_t>(*id));
      width = std::max(width, *id + 1);
    });
  }
  return {from_word_lists(std::move(words), width)};
}

// Rows in order of node id; ids must be 0..N-1, each once.
std::vector<NodeRow> read_nodes(const TextFile& file) {
  TableReader table(file.text(), file.path(), '\t', false);
  if (!table.next()) fail_data(file.path(), "the file is empty", kHint);
  std::vector<std::pair<int64_t, NodeRow>> listed;
  while (table.next()) {
    table.require_fields(3);
    const int64_t label = table.integer(2);
    if (label < -1 || label > kMostIds) {
      fail_data(table.place(), fmt::format("label {} is not a class", label), kHint);
    }
    listed.push_back(
        {table.integer(0), {table.fields()[1], table.line(), static_cast<int32_t>(label)}});
  }
  const auto nodes = static_cast<int64_t>(listed.size());
  if (nodes == 0) fail_data(file.path(), "there is a header but no node", kHint);
  std::vector<NodeRow> rows(nodes);
  for (const auto& [id, row] : listed) {
    const std::string place = fmt::format("{}:{}", file.path(), row.line);
    if (id < 0 || id >= nodes) {
      fail_data(place, fmt::format("node {} in a file of {} nodes", id, nodes),
                "nodes are numbered from 0 without gaps");
    }
    if (rows[id].line != 0) {
      fail_data(place, fmt::format("node {} was already in line {}", id, rows[id].line),
                "a node has one row");
    }
    rows[id] = row;
  }
  return rows;
}

// NAME_split_FRACTIONS_K.npz by K. Where a folder has several families, 0.6_0.2 is the published
// one.
std::map<int64_t, fs::path> split_files(const fs::path& folder) {
  std::map<std::string, std::map<int64_t, fs::path>> families;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string stem = entry.path().stem().string();
    const size_t cut = stem.rfind('_');
    if (entry.path().extension() != ".npz" || stem.find("_split_") == std::string::npos) continue;
    const auto number = parse_integer(stem.substr(cut + 1));
    if (number && *number >= 0) families[stem.substr(0, cut)][*number] = entry.path();
  }
  for (const auto& [name, files] : families) {
    if (name.ends_with("_split_0.6_0.2")) return files;
  }
  return families.empty() ? std::map<int64_t, fs::path>() : families.begin()->second;
}

}  // namespace

bool detect_geom_gcn(const fs::path& path) {
  try {
    return folder_with(path, {kEdges, kNodes}).has_value();
  } catch (const std::exception&) {
    return false;
  }
}

RawDataset read_geom_gcn(const ReadRequest& request) {
  const fs::path folder = require_folder(request.path, {kEdges, kNodes});
  const fs::path edges_path = folder / kEdges;
  const TextFile node_file(folder / kNodes), edge_file(edges_path);
  const auto rows = read_nodes(node_file);

  RawDataset raw;
  raw.name = dataset_name(folder);
  raw.nodes = static_cast<int64_t>(rows.size());
  raw.edges = read_headed_pairs(edge_file, '\t', kHint);
  raw.edges.nodes = raw.nodes;
  raw.edges_where = edge_file.path();
  raw.edge_place = [edges_path](int64_t edge) { return row_place(edges_path, '\t', edge + 1); };
  raw.features_where = raw.labels_where = node_file.path();
  raw.features = rows_are_vectors(rows, node_file.path()) ? vectors(rows, node_file.path())
                                                          : id_lists(rows, node_file.path());
  raw.has_features = true;
  std::vector<int32_t> labels;
  labels.reserve(rows.size());
  for (const NodeRow& row : rows) labels.push_back(row.label);
  raw.labels = class_labels(std::move(labels), raw.labels_where);
  for (const auto& [number, file] : split_files(folder)) {
    const Npz npz(file);
    for (Split& split : mask_splits(npz, {"train_mask", "val_mask", "test_mask"}, raw.nodes)) {
      raw.splits.push_back(std::move(split));
    }
    if (raw.splits_where.empty())
      raw.splits_where = fmt::format("{} (and its like)", file.string());
  }
  return raw;
}

}  // namespace gs
