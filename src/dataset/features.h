// Features of nodes: one row per node, sparse or dense. Arrays may be views of a mapped file.
//
// Thread safety: read-only once loaded; any number of threads may read them.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "base/array.h"

namespace gs {

// Row-major.
struct DenseMatrix {
  int64_t rows = 0, columns = 0;
  Array<float> values;
  std::span<const float> row(int64_t i) const {
    return values.slice(i * columns, (i + 1) * columns);
  }
};

// CSR; columns ascend within a row; no values means all ones.
struct SparseMatrix {
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

}  // namespace gs
