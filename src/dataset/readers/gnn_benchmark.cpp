// The .npz of the gnn-benchmark collection (CitationFull, Coauthor, Amazon): adjacency and
// attributes as scipy CSR members adj_* and attr_*, or dense adj_matrix and attr_matrix; labels as
// class ids or, for several a node, as CSR.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "base/error.h"
#include "dataset/readers/npz_parts.h"
#include "dataset/readers/table.h"

namespace gs {

namespace {

EdgeList dense_edges(const NpyArray& array) {
  array.require_dims(2);
  const int64_t nodes = array.shape[0];
  if (array.shape[1] != nodes) {
    fail_data(array.where,
              fmt::format("an adjacency matrix must be square, this one is {} x {}", nodes,
                          array.shape[1]),
              "row i, column j is the edge from node i to node j");
  }
  check_node_count(nodes, array.where);
  const Array<float> values = array.as<float>();
  EdgeList edges;
  edges.nodes = nodes;
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    edges.source.push_back(static_cast<int32_t>(i / nodes));
    edges.target.push_back(static_cast<int32_t>(i % nodes));
  }
  return edges;
}

// Drops the edges of value 0, and all values.
void take_nonzero(EdgeList& edges, const std::string& where) {
  size_t kept = 0;
  for (size_t i = 0; i < edges.weight.size(); ++i) {
    const float value = edges.weight[i];
    if (!std::isfinite(value))
      fail_data(
          where, fmt::format("entry {} is {}, not a finite number", i, value),
          "the file is damaged or was written by another program; download or write it again");
    if (value == 0) continue;
    edges.source[kept] = edges.source[i], edges.target[kept++] = edges.target[i];
  }
  if (!edges.weight.empty()) edges.source.resize(kept), edges.target.resize(kept);
  edges.weight.clear();
}

void require_rows(int64_t rows, int64_t nodes, const std::string& where, const char* what) {
  if (rows != nodes) {
    fail_data(where, fmt::format("{} rows of {} for {} nodes", rows, what, nodes),
              "there must be one row for every node");
  }
}

void read_features(const std::shared_ptr<const Npz>& file, RawDataset& raw) {
  const bool dense = file->has("attr_matrix");
  if (!dense && !file->has("attr_indptr") && !file->has("attr_data")) return;
  raw.has_features = true;
  raw.features_where = member_place(*file, dense ? "attr_matrix" : "attr_data");
  if (dense) {
    raw.features = dense_features(file->get("attr_matrix"), raw.nodes);
    return;
  }
  const auto [rows, columns] = csr_shape(*file, "attr_");
  require_rows(rows, raw.nodes, member_place(*file, "attr_shape"), "features");
  raw.features_width = columns;
  raw.features_later = [file] { return Features{sorted_rows(read_csr(*file, "attr_", true))}; };
}

Labels csr_labels(const Npz& file, int64_t nodes) {
  const SparseMatrix matrix = read_csr(file, "labels_", true);
  require_rows(matrix.rows, nodes, member_place(file, "labels_shape"), "labels");
  // The table below is dense: refuse one out of proportion to what the file holds.
  if (matrix.columns > 1024 && nodes > 1024 * matrix.nonzeros() / matrix.columns) {
    fail_data(member_place(file, "labels_shape"),
              fmt::format("{} classes are too many", matrix.columns),
              "the file is damaged or was written by another program; download or write it again");
  }
  std::vector<uint8_t> table(nodes * matrix.columns);
  for (int64_t node = 0; node < nodes; ++node) {
    for (int64_t i = matrix.offsets[node]; i < matrix.offsets[node + 1]; ++i) {
      if (matrix.values[i] != 0) table[node * matrix.columns + matrix.indices[i]] = 1;
    }
  }
  return {Task::multilabel, matrix.columns, {}, std::move(table)};
}

void read_labels(const Npz& file, RawDataset& raw) {
  if (file.has("labels")) {
    raw.labels_where = member_place(file, "labels");
    raw.labels = npy_labels(file.get("labels"), raw.nodes);
  } else if (file.has("labels_indptr") || file.has("labels_data")) {
    raw.labels_where = member_place(file, "labels_data");
    raw.labels = csr_labels(file, raw.nodes);
  }
}

// The same table under its newer and its older name; the older ones are mostly pickled and then
// left out.
std::vector<std::string> read_names(const Npz& file, const char* newer, const char* older,
                                    int64_t count, bool more_allowed = false) {
  auto names = names_if_plain(file, newer, count, more_allowed);
  return names.empty() ? names_if_plain(file, older, count, more_allowed) : names;
}

}  // namespace

bool detect_gnn_benchmark(const fs::path& path) {
  return npz_has(path, {"adj_indptr"}) || npz_has(path, {"adj_data"}) ||
         npz_has(path, {"adj_matrix"});
}

RawDataset read_gnn_benchmark(const ReadRequest& request) {
  const auto npz = std::make_shared<Npz>(request.path);
  const Npz& file = *npz;
  static const std::string kParts[] = {"adj_indptr", "adj_indices", "adj_data",
                                       "adj_shape",  "attr_indptr", "attr_indices",
                                       "attr_data",  "attr_shape",  "labels"};
  npz->preload(kParts);
  RawDataset raw;
  raw.name = dataset_name(request.path);
  // PyG makes these graphs undirected and loop-free, and ignores the values of adj_data: so do we,
  // but for zeros, which are no edges.
  raw.symmetrize = true;
  raw.self_loops = SelfLoops::drop;
  if (file.has("adj_matrix")) {
    raw.edges_where = member_place(file, "adj_matrix");
    raw.edges = dense_edges(file.get("adj_matrix"));
  } else {
    raw.edges_where = member_place(file, "adj_indices");
    raw.edges =
        csr_edges(read_csr(file, "adj_", file.has("adj_data")), member_place(file, "adj_shape"));
    take_nonzero(raw.edges, member_place(file, "adj_data"));
  }
  raw.nodes = raw.edges.nodes;
  read_features(npz, raw);
  read_labels(file, raw);
  raw.node_ids = read_names(file, "node_names", "idx_to_node", raw.nodes);
  if (raw.has_features) {
    raw.feature_names = read_names(file, "attr_names", "idx_to_attr", raw.width());
  }
  if (raw.labels.task != Task::none) {
    raw.class_names = read_names(file, "class_names", "idx_to_class", raw.labels.classes, true);
  }
  return raw;
}

}  // namespace gs
