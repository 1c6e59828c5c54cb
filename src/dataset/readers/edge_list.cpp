// Anyone's data: a csv, tsv or txt file (gzipped or not) of rows "source target [weight]", ids
// being integers or names, with or without a header and '#' comments; alone, or as edges.* in a
// folder with features.*, labels.*, splits.* and ids.* beside it (edge_list_parts.h has their
// forms). An edge list of another name takes only the files that are asked for, for what lies
// beside it may belong to something else. Nodes that only features or labels name are isolated
// ones. Edges are undirected, stored both ways, unless a '#' comment above them says "directed
// graph", as SNAP's files do, or --symmetrize no is given.
#include <algorithm>
#include <initializer_list>

#include "base/error.h"
#include "base/parallel.h"
#include "dataset/readers/edge_list_parts.h"
#include "dataset/readers/table.h"

namespace gs {
namespace {

using Extensions = std::initializer_list<const char*>;
constexpr Extensions kTables{".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"};
constexpr Extensions kFeatures{".npy", ".npz",    ".csv",    ".tsv",
                               ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"};
constexpr Extensions kLabels{".npy", ".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"};
constexpr Extensions kSplits{".npz", ".npy",    ".json",   ".csv",   ".tsv",
                             ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"};

// The file folder/STEM.EXTENSION; empty when there is none.
fs::path find_part(const fs::path& folder, const std::string& stem, Extensions extensions) {
  fs::path found;
  for (const char* extension : extensions) {
    const fs::path file = folder / (stem + extension);
    if (!fs::exists(file)) continue;
    if (!found.empty()) {
      fail_data(folder.string(),
                fmt::format("both {} and {} are here", found.filename().string(),
                            file.filename().string()),
                fmt::format("keep one, or choose with --{}-file", stem));
    }
    found = file;
  }
  return found;
}

struct Files {
  fs::path edges, features, labels, splits, ids;
};

Files find_files(const ReadRequest& request) {
  Files files;
  fs::path folder = request.path;
  if (fs::is_directory(folder)) {
    files.edges = find_part(folder, "edges", kTables);
    if (files.edges.empty()) {
      fail_data(folder.string(), "no edges.csv, edges.tsv or edges.txt in this folder",
                "name the file of edges so, or give its path");
    }
  } else {
    files.edges = request.path;
    folder = request.path.parent_path();
  }
  const bool named = files.edges.filename().string().starts_with("edges.");
  const auto part = [&](const fs::path& asked, const char* stem, Extensions extensions) {
    return !asked.empty() || !named ? asked : find_part(folder, stem, extensions);
  };
  files.features = part(request.features, "features", kFeatures);
  files.labels = part(request.labels, "labels", kLabels);
  files.splits = part(request.splits, "splits", kSplits);
  files.ids = part({}, "ids", kTables);
  return files;
}

TableForm edge_form(const TextFile& file) {
  TableForm form = detect_form(file, 2);
  if (form.columns != 2 && form.columns != 3) {
    fail_data(row_place(file.path(), form.separator, 0), fmt::format("{} columns", form.columns),
              "an edge is a source, a target and perhaps a weight, separated by tab, comma, "
              "semicolon or blank");
  }
  const std::string third = form.name(2);
  const bool weight = third.empty() || third == "weight" || third == "weights" || third == "w" ||
                      third == "value" || third == "score" || third == "strength" ||
                      third == "count";
  if (!weight) {
    fail_data(row_place(file.path(), form.separator, 0),
              fmt::format("column '{}' is not a weight", printable(third)),
              "delete the column, or name it 'weight' if it is one");
  }
  if (form.sample.empty())
    fail_data(file.path(), "there is a header but no edge", "an edge list has one row per edge");
  return form;
}

// Edges with keys for ids. Integers that 32 bits hold (all but exotic ones) take the lean way.
struct EdgePart {
  EdgeRows<int32_t> narrow;
  EdgeRows<int64_t> wide;
  bool is_wide = false;

  int64_t size() const { return is_wide ? wide.size() : narrow.size(); }
};

// Quotes or names: row by row.
EdgePart read_rows(const TextFile& file, const TableForm& form, NodeIds& ids) {
  EdgePart part{.narrow = {}, .wide = {}, .is_wide = true};
  for (TableReader table = data_rows(file, form); table.next();) {
    table.require_fields(form.columns);
    part.wide.source.push_back(ids.key(table, 0));
    part.wide.target.push_back(ids.key(table, 1));
    if (form.columns == 3) part.wide.weight.push_back(static_cast<float>(table.number(2)));
  }
  return part;
}

NumberRows below_header(const TextFile& file, const TableForm& form, Progress* progress) {
  NumberRows rows{
      .text = file.text(), .where = file.path(), .separator = form.separator, .progress = progress};
  if (!form.header) return rows;
  TableReader table(file.text(), file.path(), form.separator);
  table.next();
  for (int64_t line = 0; line < table.line(); ++line) {
    const size_t end = rows.text.find('\n');
    rows.text.remove_prefix(end == std::string_view::npos ? rows.text.size() : end + 1);
  }
  rows.first_line = table.line() + 1;
  return rows;
}

EdgePart read_edges(const TextFile& file, const TableForm& form, NodeIds& ids, Progress* progress) {
  const bool weighted = form.columns == 3;
  if (!ids.integers() || file.text().find('"') != std::string_view::npos)
    return read_rows(file, form, ids);
  EdgePart part;
  const NumberRows rows = below_header(file, form, progress);
  progress->start("reading edges", static_cast<int64_t>(rows.text.size()), "bytes");
  if (auto narrow = parse_edge_rows<int32_t>(rows, weighted)) {
    part.narrow = std::move(*narrow);
  } else {
    part.is_wide = true;
    part.wide = *parse_edge_rows<int64_t>(rows, weighted);
  }
  progress->finish();
  return part;
}

// The nodes of one side's keys (in place when both are 32 bits wide); fail(edge, key) for one that
// is none.
template <class Key, class Fail>
std::vector<int32_t> to_nodes(std::vector<Key> keys, const NodeIds& ids, const Fail& fail) {
  constexpr bool kInPlace = std::is_same_v<Key, int32_t>;
  std::vector<int32_t> fresh(kInPlace ? 0 : keys.size());
  int32_t* nodes = fresh.data();
  if constexpr (kInPlace) nodes = keys.data();
  parallel_for(static_cast<int64_t>(keys.size()), 1 << 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Key key = keys[i];
      nodes[i] = ids.node(key);
      if (nodes[i] < 0) fail(i, key);
    }
  });
  if constexpr (kInPlace) return keys;
  else return fresh;
}

// `by_row`: the file whose row i is node i, empty when an ids file lists the nodes.
template <class Key>
EdgeList place_edges(EdgeRows<Key> rows, const NodeIds& ids, const fs::path& by_row,
                     const std::function<std::string(int64_t)>& place) {
  const auto fail = [&](int64_t edge, int64_t key) {
    const std::string node = printable(ids.text_of(key));
    if (by_row.empty()) {
      fail_data(place(edge), fmt::format("node '{}' is not one of the {} nodes", node, ids.count()),
                "add it to the ids file");
    }
    fail_data(place(edge),
              fmt::format("node '{}' is not one of the {} nodes, the rows of {}", node, ids.count(),
                          by_row.filename().string()),
              fmt::format("it has no ids, so row i is node i: number the nodes 0 to {}, or give it "
                          "an id column",
                          ids.count() - 1));
  };
  EdgeList edges;
  edges.nodes = ids.count();
  edges.source = to_nodes(std::move(rows.source), ids, fail);
  edges.target = to_nodes(std::move(rows.target), ids, fail);
  edges.weight = std::move(rows.weight);
  return edges;
}

void read_order(const fs::path& path, NodeIds& ids) {
  const TextFile file(path);
  const TableForm form = detect_form(file, 1);
  std::vector<int64_t> keys;
  int64_t line = 0;
  for (TableReader table = data_rows(file, form); table.next();) {
    table.require_fields(1);
    require_next_line(table, line);
    keys.push_back(ids.key(table, 0));
  }
  ids.set_order(std::move(keys),
                [&](int64_t row) { return row_place(path, form.separator, row + form.header); });
}

// N where files say it by their number of rows, and which file; they must agree.
struct RowCount {
  int64_t rows = -1;
  std::string where;

  void meet(const RowKeys& keys) {
    if (!keys.by_row) return;
    if (rows >= 0 && keys.rows != rows) {
      fail_data(keys.path.string(), fmt::format("{} rows, but {} has {}", keys.rows, where, rows),
                "without an id column, row i is node i in both");
    }
    rows = keys.rows;
    where = keys.path.string();
  }
};

std::string name_of_data(const fs::path& path) {
  if (fs::is_directory(path)) return dataset_name(path);
  if (path.filename().string().starts_with("edges."))
    return dataset_name(fs::absolute(path).parent_path());
  return dataset_name(lower(path.extension().string()) == ".gz" ? fs::path(path).replace_extension()
                                                                : path);
}

// Whether a comment above the first row speaks of a directed graph.
bool says_directed(std::string_view text) {
  while (text.starts_with('#')) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string line = lower(std::string(text.substr(0, end)));
    const size_t at = line.find("directed graph");
    if (at != std::string::npos && (at < 2 || line.substr(at - 2, 2) != "un")) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace

bool detect_edge_list(const fs::path& path) {
  try {
    if (fs::is_directory(path)) return !find_part(path, "edges", kTables).empty();
    const std::string extension = table_extension(path);
    if (extension != ".csv" && extension != ".tsv" && extension != ".txt" &&
        extension != ".edges" && extension != ".edgelist") {
      return false;
    }
    constexpr int64_t kFirstBytes = 1 << 16;
    if (lower(path.extension().string()) == ".gz") return fs::is_regular_file(path);
    const MappedFile file(path);
    const std::string_view text = file.text().substr(0, kFirstBytes);
    TableReader table(text, path.string(), detect_separator(text));
    return table.next() && (table.fields().size() == 2 || table.fields().size() == 3);
  } catch (const std::exception&) {
    return false;
  }
}

RawDataset read_edge_list(const ReadRequest& request) {
  const Files files = find_files(request);
  RawDataset raw;
  raw.name = name_of_data(request.path);
  raw.edges_where = files.edges.string();
  raw.symmetrize = true;

  TableForm form;
  EdgePart edges;
  std::optional<NodeIds> node_ids;
  {
    const TextFile file(files.edges);
    raw.symmetrize = !says_directed(file.text());
    form = edge_form(file);
    node_ids.emplace(form.integers(0) && form.integers(1));
    if (!files.ids.empty()) read_order(files.ids, *node_ids);
    edges = read_edges(file, form, *node_ids, request.progress);
  }
  NodeIds& ids = *node_ids;
  if (edges.is_wide) {
    ids.add(std::span<const int64_t>(edges.wide.source));
    ids.add(std::span<const int64_t>(edges.wide.target));
  } else {
    ids.add(std::span<const int32_t>(edges.narrow.source));
    ids.add(std::span<const int32_t>(edges.narrow.target));
  }

  FeaturePart features;
  LabelPart labels;
  if (!files.features.empty()) features = read_feature_part(files.features, ids);
  if (!files.labels.empty()) labels = read_label_part(files.labels, ids);
  ids.add(std::span<const int64_t>(features.rows.keys));
  ids.add(std::span<const int64_t>(labels.rows.keys));
  RowCount count;
  count.meet(features.rows);
  count.meet(labels.rows);
  ids.number_nodes(count.rows, count.where.empty() ? raw.edges_where : count.where);

  raw.nodes = ids.count();
  raw.edge_place = [path = files.edges, form](int64_t edge) {
    return row_place(path, form.separator, edge + (form.header ? 1 : 0));
  };
  const fs::path by_row = files.ids.empty() ? fs::path(count.where) : fs::path();
  raw.edges = edges.is_wide ? place_edges(std::move(edges.wide), ids, by_row, raw.edge_place)
                            : place_edges(std::move(edges.narrow), ids, by_row, raw.edge_place);
  if (!files.features.empty()) {
    raw.features_where = files.features.string();
    raw.feature_names = features.names;
    if (features.guessed_ids)
      raw.treatment =
          fmt::format("node ids from the first column of {}", files.features.filename().string());
    raw.features = place_features(std::move(features), ids);
    raw.has_features = true;
  }
  if (!files.labels.empty()) {
    raw.labels_where = files.labels.string();
    raw.labels = place_labels(labels, ids);
    raw.class_names = std::move(labels.names);
  }
  if (!files.splits.empty()) {
    raw.splits_where = files.splits.string();
    raw.splits = read_split_part(files.splits, ids);
  }
  raw.node_ids = ids.original_ids();
  return raw;
}

}  // namespace gs
