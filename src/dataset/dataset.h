// A dataset ready for training: one graph, features of its nodes (sparse or dense), labels and
// splits when there are any, and the names that the user knows things by. Every array may be a view
// of a mapped file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/array.h"
#include "graph/csr.h"

namespace gs {

struct DenseMatrix {  // row-major
  int64_t rows = 0, columns = 0;
  Array<float> values;
  std::span<const float> row(int64_t i) const {
    return values.slice(i * columns, (i + 1) * columns);
  }
};

struct SparseMatrix {  // CSR; columns ascend within a row; no values means all ones
  int64_t rows = 0, columns = 0;
  Array<int64_t> offsets;
  Array<int32_t> indices;
  Array<float> values;
  int64_t nonzeros() const { return indices.size(); }
};

// Features stay in the form that the data has; both forms work everywhere.
struct Features {
  std::variant<DenseMatrix, SparseMatrix> matrix;

  bool sparse() const { return std::holds_alternative<SparseMatrix>(matrix); }
  const DenseMatrix& dense_matrix() const { return std::get<DenseMatrix>(matrix); }
  const SparseMatrix& sparse_matrix() const { return std::get<SparseMatrix>(matrix); }
  int64_t rows() const;
  int64_t width() const;
  int64_t nonzeros() const;  // counted (in parallel) when dense
  int64_t bytes() const;
};

enum class Task { none, binary, multiclass, multilabel };
std::string_view task_name(Task task);  // "none", "bc", "mcc", "mlc"

struct Labels {
  Task task = Task::none;
  int64_t classes = 0;
  Array<int32_t> single;  // N class ids, -1 where unknown (binary and multiclass)
  Array<uint8_t> multi;   // N x C of 0 and 1; a row of kUnknown where unknown (multilabel)
  static constexpr uint8_t kUnknown = 255;

  bool known(int64_t node) const;
  int64_t known_count() const;
};

struct Split {  // ascending node ids, disjoint; unlabelled nodes are in none
  std::vector<int32_t> train, val, test;
};

struct Dataset {
  std::string name;    // the catalog's name when recognised, else from the file
  std::string format;  // the reader that read it
  Csr graph;
  Features features;
  Labels labels;
  std::vector<Split> splits;          // the data's own; empty when it has none
  std::vector<std::string> node_ids;  // the original ids; empty when they are 0..N-1
  std::vector<std::string> feature_names, class_names;  // may be empty
  int64_t raw_edges = 0;  // rows of the file, before anything was done to them
  BuildCounts dropped;
  std::string treatment;  // what was done: "symmetrised, loops dropped, features binarised"
  std::vector<std::string>
      notes;  // what a user should know, e.g. that a count is not the catalog's

  int64_t nodes() const { return graph.nodes(); }
};

}  // namespace gs
