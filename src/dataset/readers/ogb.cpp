// OGB's raw folder of a node-property dataset (ogbn-*):
// raw/{edge,node-feat,node-label,num-node-list,num-edge-list}.csv,
// split/NAME/{train,valid,test}.csv, mapping/, each file gzipped or not. Several label columns are
// multi-label; "nan" is unknown, and one unknown entry makes its whole row unknown. Edge features
// are not read. The graph is directed as stored (ogbn-arxiv: --symmetrize yes makes it undirected).
// OGB lists the edges of ogbn-products and ogbn-proteins once and adds the inverse ones when it
// loads them; the folder does not say so, so a folder with "products" or "proteins" in its name is
// symmetrized.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "dataset/readers/npz_parts.h"
#include "dataset/readers/number_rows.h"
#include "dataset/readers/table.h"

namespace gs {
namespace {

constexpr const char* kHint =
    "compare with the folder that the ogb package downloads, or download it again";

std::optional<fs::path> find_csv(const fs::path& folder, const std::string& name) {
  for (const char* end : {".csv.gz", ".csv"}) {
    const fs::path file = folder / (name + end);
    if (fs::exists(file)) return file;
  }
  return std::nullopt;
}

std::optional<fs::path> raw_folder(const fs::path& path) {
  for (const fs::path& folder : {path, path / "raw", path.parent_path()}) {
    if (folder == path.parent_path() && !path.filename().string().starts_with("edge.csv")) continue;
    if (!find_csv(folder, "edge")) continue;
    if (find_csv(folder, "num-node-list") || find_csv(folder, "node-feat") ||
        find_csv(folder, "node-label")) {
      return folder;
    }
  }
  return std::nullopt;
}

int64_t read_count(const fs::path& path) {
  const TextFile file(path);
  TableReader table(file.text(), file.path(), ',');
  if (!table.next()) fail_data(file.path(), "the file is empty", kHint);
  table.require_fields(1);
  const int64_t count = table.integer(0);
  if (count < 0) fail_data(table.place(), fmt::format("{} is not a count", count), kHint);
  if (table.next())
    fail_data(table.place(), "more than one graph",
              "only node-property datasets (ogbn-*) are read");
  return count;
}

void read_edges(const fs::path& path, Progress& progress, RawDataset& raw) {
  const TextFile file(path);
  progress.start("reading edges", static_cast<int64_t>(file.text().size()), "bytes");
  auto rows = parse_edge_rows<int32_t>(
      {.text = file.text(), .where = file.path(), .progress = &progress}, false);
  progress.finish();
  if (!rows) fail_data(file.path(), "a node id is beyond 2^31", kHint);
  if (rows->source.empty()) fail_data(file.path(), "the file has no edges", kHint);
  raw.edges.source = std::move(rows->source);
  raw.edges.target = std::move(rows->target);
  raw.edges_where = file.path();
  raw.edge_place = [path](int64_t edge) { return row_place(path, ',', edge); };
}

DenseMatrix read_numbers(const fs::path& path, int64_t nodes) {
  const TextFile file(path);
  DenseMatrix matrix = parse_float_rows({.text = file.text(), .where = file.path()});
  if (nodes >= 0 && matrix.rows != nodes) {
    fail_data(file.path(), fmt::format("{} rows for {} nodes", matrix.rows, nodes), kHint);
  }
  return matrix;
}

Labels read_labels(const fs::path& path, int64_t nodes) {
  const DenseMatrix matrix = read_numbers(path, nodes);
  const int64_t width = matrix.columns;
  const auto bad = [&](int64_t row, const char* wanted) {
    fail_data(row_place(path, ',', row), fmt::format("the label is not {}", wanted), kHint);
  };
  if (width <= 1) {
    std::vector<int32_t> ids(matrix.rows);
    for (int64_t i = 0; i < matrix.rows; ++i) {
      const float value = matrix.values[i];
      // 2^24: beyond it floats, and classes that anyone has, end.
      if (!std::isnan(value) && (value != std::floor(value) || value < -1 || value > 16777216)) {
        bad(i, "a class number");
      }
      ids[i] = std::isnan(value) ? -1 : static_cast<int32_t>(value);
    }
    return class_labels(std::move(ids), path.string());
  }
  std::vector<uint8_t> multi(matrix.rows * width);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    const auto row = matrix.row(i);
    const bool unknown = std::any_of(row.begin(), row.end(), [](float v) { return std::isnan(v); });
    for (int64_t c = 0; c < width; ++c) {
      if (!unknown && row[c] != 0 && row[c] != 1)
        bad(i, "0, 1 or nan, as several label columns are");
      multi[i * width + c] = unknown ? Labels::kUnknown : static_cast<uint8_t>(row[c]);
    }
  }
  return {.task = Task::multilabel, .classes = width, .single = {}, .multi = std::move(multi)};
}

std::vector<int32_t> read_ids(const fs::path& folder, const std::string& name, int64_t nodes) {
  const auto path = find_csv(folder, name);
  if (!path) fail_data((folder / (name + ".csv.gz")).string(), "no such file", kHint);
  const TextFile file(*path);
  TableReader table(file.text(), file.path(), ',');
  std::vector<int32_t> ids;
  while (table.next()) {
    table.require_fields(1);
    const int64_t id = table.integer(0);
    if (id < 0 || id >= nodes) {
      fail_data(table.place(), fmt::format("node {} is not one of the {} nodes", id, nodes), kHint);
    }
    ids.push_back(static_cast<int32_t>(id));
  }
  return ids;
}

void read_splits(const fs::path& folder, RawDataset& raw) {
  if (!fs::is_directory(folder)) return;
  std::set<fs::path> kinds;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) kinds.insert(entry.path());
  }
  for (const fs::path& kind : kinds) {
    raw.splits.push_back({read_ids(kind, "train", raw.nodes), read_ids(kind, "valid", raw.nodes),
                          read_ids(kind, "test", raw.nodes)});
  }
  raw.splits_where = kinds.size() == 1 ? kinds.begin()->string() : folder.string();
}

// mapping/PREFIX*.csv: a header and "index,name" rows. Empty when there is no such file.
std::vector<std::string> read_names(const fs::path& folder, const std::string& prefix,
                                    int64_t count) {
  if (!fs::is_directory(folder)) return {};
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !(name.ends_with(".csv") || name.ends_with(".csv.gz")))
      continue;
    const TextFile file(entry.path());
    TableReader table(file.text(), file.path(), ',', false);
    table.next();
    if (count > static_cast<int64_t>(file.text().size())) {
      fail_data(file.path(), fmt::format("too short to name {}", count),
                "fix the file, or delete mapping/ to load without names");
    }
    std::vector<std::string> names(count);
    std::vector<bool> seen(count);
    int64_t found = 0;
    while (table.next()) {
      const int64_t index = table.integer(0);
      if (table.fields().size() < 2) table.require_fields(2);
      if (index < 0 || index >= count) continue;  // classes that no node has
      if (seen[index]) fail_data(table.place(), fmt::format("{} is there twice", index), kHint);
      if (!is_utf8(table.fields()[1]))
        fail_data(table.place(), "the name is not UTF-8 text", kHint);
      seen[index] = true, ++found;
      names[index] = table.fields()[1];
    }
    if (found != count) {
      fail_data(file.path(), fmt::format("names for {} of {}", found, count),
                "fix the file, or delete mapping/ to load without names");
    }
    return names;
  }
  return {};
}

}  // namespace

bool detect_ogb(const fs::path& path) {
  try {
    return raw_folder(path).has_value();
  } catch (const std::exception&) {
    return false;
  }
}

RawDataset read_ogb(const ReadRequest& request) {
  const auto raw_path = raw_folder(request.path);
  if (!raw_path) {
    fail_data(request.path.string(), "no raw/edge.csv.gz with num-node-list.csv.gz beside it",
              "give the folder that holds raw/ and split/");
  }
  const fs::path root = raw_path->filename() == "raw" ? raw_path->parent_path() : *raw_path;
  RawDataset raw;
  raw.name = dataset_name(root);
  int64_t nodes = -1;
  if (const auto file = find_csv(*raw_path, "num-node-list")) nodes = read_count(*file);

  read_edges(*find_csv(*raw_path, "edge"), *request.progress, raw);
  if (const auto file = find_csv(*raw_path, "num-edge-list")) {
    if (const int64_t edges = read_count(*file); edges != raw.edges.size()) {
      fail_data(raw.edges_where,
                fmt::format("{} edges, but {} says {}", raw.edges.size(), file->string(), edges),
                "the file is cut short or of another dataset; download it again");
    }
  }
  if (const auto file = find_csv(*raw_path, "node-feat")) {
    raw.features = {read_numbers(*file, nodes)};
    raw.has_features = true;
    raw.features_where = file->string();
    nodes = raw.features.rows();
  }
  if (const auto file = find_csv(*raw_path, "node-label")) {
    raw.labels = read_labels(*file, nodes);
    raw.labels_where = file->string();
    if (nodes < 0) {
      nodes = raw.labels.task == Task::multilabel ? raw.labels.multi.size() / raw.labels.classes
                                                  : raw.labels.single.size();
    }
  }
  if (!raw.has_features && raw.labels_where.empty()) {
    fail_data(raw_path->string(), "neither node-feat.csv.gz nor node-label.csv.gz is there", kHint);
  }
  check_node_count(nodes, raw.edges_where);
  raw.nodes = raw.edges.nodes = nodes;
  read_splits(root / "split", raw);
  raw.node_ids = read_names(root / "mapping", "nodeidx2", nodes);
  raw.class_names = read_names(root / "mapping", "labelidx2", raw.labels.classes);
  raw.symmetrize = raw.name.find("products") != std::string::npos ||
                   raw.name.find("proteins") != std::string::npos;
  return raw;
}

}  // namespace gs
