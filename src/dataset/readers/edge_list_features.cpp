#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/error.h"
#include "dataset/readers/edge_list_parts.h"
#include "dataset/readers/npz_parts.h"

namespace gs {
namespace {

constexpr int64_t kMostFeatures = std::numeric_limits<int32_t>::max() - 1;

bool is_array_file(const fs::path& path) {
  const std::string extension = lower(path.extension().string());
  return extension == ".npy" || extension == ".npz";
}

FeaturePart read_array(const fs::path& path) {
  FeaturePart part;
  if (lower(path.extension().string()) == ".npy") part.matrix = dense_features(load_npy(path));
  else part.matrix = {sorted_rows(read_csr(Npz(path), "", true))};
  part.width = part.matrix.width();
  // Without columns any number of rows takes no byte, so no data would back the number of
  // nodes.
  if (part.width == 0)
    fail_data(path.string(), "features without columns", "give every node at least one number");
  part.rows.by_row = true;
  part.rows.rows = part.matrix.rows();
  part.rows.path = path;
  return part;
}

// Keys of the first column.
std::vector<int64_t> first_column(const TextFile& file, const TableForm& form, NodeIds& ids) {
  std::vector<int64_t> keys;
  for (TableReader table = data_rows(file, form); table.next();) keys.push_back(ids.key(table, 0));
  return keys;
}

bool is_sparse(const TextFile& file, const TableForm& form, NodeIds& ids) {
  if (form.columns != 2 && form.columns != 3) return false;
  const std::string second = form.name(1);
  if (second == "feature" || second == "feature_id" || second == "word") return true;
  if (lower(fs::path(file.path()).filename().string()).find("sparse") != std::string::npos)
    return true;
  if (ids.integers() && !form.integers(0)) return false;
  auto keys = first_column(file, form, ids);
  std::sort(keys.begin(), keys.end());
  if (std::adjacent_find(keys.begin(), keys.end()) == keys.end()) return false;
  const auto rows = static_cast<int64_t>(keys.size());
  if (ids.integers() && !is_id_name(form.name(0)) && rows == ids.known()) {
    fail_data(
        file.path(),
        fmt::format("{} rows for {} nodes: is there one row per node, or node,feature[,value]?",
                    rows, rows),
        "give it an id column, or the header node,feature[,value]");
  }
  return true;
}

bool has_id_column(const TextFile& file, const TableForm& form, NodeIds& ids) {
  if (form.columns < 2) return false;
  if (!ids.integers() || is_id_name(form.name(0))) return true;
  if (!form.integers(0)) return false;
  std::vector<int64_t> keys;
  for (TableReader table = data_rows(file, form); table.next();) {
    const auto id = parse_integer(table.fields()[0]);
    if (!id) return false;
    keys.push_back(*id);
  }
  std::sort(keys.begin(), keys.end());
  if (std::adjacent_find(keys.begin(), keys.end()) != keys.end() || !ids.has_all_within(keys))
    return false;
  // A header that names a feature is believed where there is a row for every node.
  return !form.header || std::ssize(keys) != ids.known();
}

void read_triples(const TextFile& file, NodeIds& ids, FeaturePart& part) {
  const TableForm& form = part.rows.form;
  const bool numbered = form.integers(1);
  std::unordered_map<std::string, int32_t> known;
  part.triples = true;
  for (TableReader table = data_rows(file, form); table.next();) {
    table.require_fields(form.columns);
    part.rows.keys.push_back(ids.key(table, 0));
    const std::string_view field = trimmed(table.fields()[1]);
    int64_t column = 0;
    if (numbered) {
      column = table.integer(1);
      if (column < 0 || column > kMostFeatures) {
        fail_data(table.place(), fmt::format("{} is not a feature id", column),
                  "feature ids count from 0");
      }
      part.width = std::max(part.width, column + 1);
    } else {
      if (parse_number(field) && !parse_integer(field)) {
        fail_data(
            table.place(), fmt::format("'{}' is not a feature id", printable(field)),
            "a table that repeats a node is read as node,feature,value; is a node listed twice?");
      }
      if (field.empty() || !is_utf8(field)) {
        fail_data(table.place(), "the feature's name is empty or not UTF-8 text",
                  "give every feature a name");
      }
      const auto [found, added] =
          known.try_emplace(std::string(field), static_cast<int32_t>(part.names.size()));
      if (added) part.names.emplace_back(field);
      column = found->second;
      part.width = static_cast<int64_t>(part.names.size());
    }
    part.columns.push_back(static_cast<int32_t>(column));
    if (form.columns == 3) part.values.push_back(static_cast<float>(table.number(2)));
  }
}

void read_dense(const TextFile& file, NodeIds& ids, FeaturePart& part) {
  const TableForm& form = part.rows.form;
  const size_t begin = has_id_column(file, form, ids) ? 1 : 0;
  part.rows.by_row = begin == 0;
  part.guessed_ids = begin == 1 && ids.integers() && !is_id_name(form.name(0));
  part.width = static_cast<int64_t>(form.columns - begin);
  std::vector<float> values;
  int64_t line = 0;
  for (TableReader table = data_rows(file, form); table.next(); ++part.rows.rows) {
    table.require_fields(form.columns);
    if (part.rows.by_row) require_next_line(table, line);
    else part.rows.keys.push_back(ids.key(table, 0));
    for (size_t c = begin; c < form.columns; ++c)
      values.push_back(static_cast<float>(table.number(c)));
  }
  if (form.header) part.names.assign(form.header_names.begin() + begin, form.header_names.end());
  part.matrix = {DenseMatrix{part.rows.rows, part.width, std::move(values)}};
}

// Entries sorted into rows by counting; prepare() sorts the columns of a row.
SparseMatrix rows_of_triples(const FeaturePart& part, const NodeIds& ids) {
  std::vector<int64_t> offsets(ids.count() + 1);
  std::vector<int32_t> nodes(part.columns.size());
  for (size_t e = 0; e < nodes.size(); ++e) {
    nodes[e] = ids.node(part.rows.keys[e]);
    if (nodes[e] < 0) {
      fail_data(part.rows.place(static_cast<int64_t>(e)),
                fmt::format("node '{}' is not one of the {} nodes",
                            printable(ids.text_of(part.rows.keys[e])), ids.count()),
                "is the file of another dataset?");
    }
    ++offsets[nodes[e] + 1];
  }
  for (int64_t i = 0; i < ids.count(); ++i) offsets[i + 1] += offsets[i];
  std::vector<int64_t> next(offsets.begin(), offsets.end() - 1);
  std::vector<int32_t> columns(nodes.size());
  std::vector<float> values(part.values.size());
  for (size_t e = 0; e < nodes.size(); ++e) {
    const int64_t at = next[nodes[e]]++;
    columns[at] = part.columns[e];
    if (!values.empty()) values[at] = part.values[e];
  }
  return sorted_rows(
      {ids.count(), part.width, std::move(offsets), std::move(columns), std::move(values)});
}

}  // namespace

FeaturePart read_feature_part(const fs::path& path, NodeIds& ids) {
  if (is_array_file(path)) return read_array(path);
  const TextFile file(path);
  FeaturePart part;
  part.rows.path = path;
  part.rows.form = detect_form(file, 1);
  if (part.rows.form.sample.empty())
    fail_data(file.path(), "there is a header but no row", "a node needs a row");
  if (is_sparse(file, part.rows.form, ids)) read_triples(file, ids, part);
  else read_dense(file, ids, part);
  return part;
}

Features place_features(FeaturePart part, const NodeIds& ids) {
  if (part.triples) return {rows_of_triples(part, ids)};
  if (part.rows.by_row) return std::move(part.matrix);
  const auto nodes = part.rows.nodes(ids);
  const DenseMatrix& in = part.matrix.dense_matrix();
  std::vector<float> values(ids.count() * in.columns);
  std::vector<bool> filled(ids.count());
  for (size_t r = 0; r < nodes.size(); ++r) {
    const auto row = in.row(static_cast<int64_t>(r));
    std::copy(row.begin(), row.end(), values.begin() + int64_t{nodes[r]} * in.columns);
    filled[nodes[r]] = true;
  }
  const auto missing = std::find(filled.begin(), filled.end(), false);
  if (missing != filled.end()) {
    const auto originals = ids.original_ids();
    const int64_t node = missing - filled.begin();
    fail_data(part.rows.path.string(),
              fmt::format("node '{}' has no row",
                          originals.empty() ? std::to_string(node) : printable(originals[node])),
              "every node of the edges needs a row of features");
  }
  return {DenseMatrix{ids.count(), in.columns, std::move(values)}};
}

std::string RowKeys::place(int64_t row) const {
  return row_place(path, form.separator, row + (form.header ? 1 : 0));
}

std::vector<int32_t> RowKeys::nodes(const NodeIds& ids) const {
  std::vector<int32_t> out(rows);
  std::vector<bool> seen(ids.count());
  for (int64_t r = 0; r < rows; ++r) {
    const int32_t node = by_row ? static_cast<int32_t>(r) : ids.node(keys[r]);
    if (node < 0) {
      fail_data(place(r),
                fmt::format("node '{}' is not one of the {} nodes", printable(ids.text_of(keys[r])),
                            ids.count()),
                "is the file of another dataset?");
    }
    if (seen[node]) {
      fail_data(place(r),
                fmt::format("node '{}' is there twice",
                            printable(by_row ? std::to_string(r) : ids.text_of(keys[r]))),
                "a node has one row");
    }
    seen[node] = true;
    out[r] = node;
  }
  return out;
}

}  // namespace gs
