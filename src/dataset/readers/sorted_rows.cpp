#include "dataset/readers/sorted_rows.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace gs {

namespace {

constexpr int64_t kGrain = 1 << 16;

bool rows_ascend(const SparseMatrix& matrix) {
  for (int64_t row = 0; row < matrix.rows; ++row) {
    bool ascend = true;
    for (int64_t i = matrix.offsets[row] + 1; i < matrix.offsets[row + 1]; ++i) {
      ascend &= matrix.indices[i - 1] < matrix.indices[i];
    }
    if (!ascend) return false;
  }
  return true;
}

bool all_ones(std::span<const float> values) {
  constexpr size_t kBlock = 1024;
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    bool ones = true;
    for (const float value : values.subspan(begin, std::min(kBlock, values.size() - begin)))
      ones &= value == 1.0f;
    if (!ones) return false;
  }
  return true;
}

// Sorts rows by marking columns in a bitmap and adding values up in a dense row: linear, for rows
// that are full enough.
class DenseRowSorter {
 public:
  explicit DenseRowSorter(int64_t columns, bool with_values)
      : marks_(columns / 64 + 1), sums_(with_values ? columns : 0) {}

  // Writes the sorted, merged row to `out_*` and returns its length. Without values repeated
  // entries just merge.
  int64_t operator()(std::span<const int32_t> columns, const float* values, int32_t* out_columns,
                     float* out_values) {
    for (size_t i = 0; i < columns.size(); ++i) {
      marks_[columns[i] / 64] |= uint64_t{1} << columns[i] % 64;
      if (values) sums_[columns[i]] += values[i];
    }
    int64_t length = 0;
    for (size_t word = 0; word < marks_.size(); ++word) {
      for (uint64_t bits = std::exchange(marks_[word], 0); bits != 0; bits &= bits - 1) {
        const auto column = static_cast<int32_t>(word * 64 + std::countr_zero(bits));
        if (values) out_values[length] = std::exchange(sums_[column], 0.0f);
        out_columns[length++] = column;
      }
    }
    return length;
  }

 private:
  std::vector<uint64_t> marks_;
  std::vector<float> sums_;
};

// The same for rows that are nearly empty beside the number of columns.
class SparseRowSorter {
 public:
  int64_t operator()(std::span<const int32_t> columns, const float* values, int32_t* out_columns,
                     float* out_values) {
    entries_.clear();
    for (size_t i = 0; i < columns.size(); ++i)
      entries_.emplace_back(columns[i], values ? values[i] : 1.0f);
    // Stable, so that repeated entries are added in file order: the same bits every time.
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](auto& a, auto& b) { return a.first < b.first; });
    int64_t length = 0;
    for (const auto& [column, value] : entries_) {
      if (length == 0 || out_columns[length - 1] != column) {
        if (values) out_values[length] = 0;
        out_columns[length++] = column;
      }
      if (values) out_values[length - 1] += value;
    }
    return length;
  }

 private:
  std::vector<std::pair<int32_t, float>> entries_;
};

// Sorts every row into place and returns the lengths, N + 1 of them with a 0 at the end. `values`
// may be null.
std::vector<int64_t> sort_rows(const SparseMatrix& matrix, int32_t* indices, float* values) {
  std::vector<int64_t> lengths(matrix.rows + 1);
  const auto sort_range = [&](auto sorter, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t first = matrix.offsets[row];
      const auto columns = matrix.indices.slice(first, matrix.offsets[row + 1]);
      lengths[row] =
          values ? sorter(columns, matrix.values.data() + first, indices + first, values + first)
                 : sorter(columns, nullptr, indices + first, nullptr);
    }
  };
  // A bitmap word costs about what sorting one entry does.
  const bool full = matrix.columns / 64 <= matrix.nonzeros() / std::max<int64_t>(matrix.rows, 1);
  parallel_for_weighted(matrix.offsets.span(), kGrain, [&](int64_t begin, int64_t end) {
    if (full) {
      sort_range(DenseRowSorter(matrix.columns, values != nullptr), begin, end);
    } else {
      sort_range(SparseRowSorter(), begin, end);
    }
  });
  return lengths;
}

template <class T>
Array<T> filled(const std::shared_ptr<T[]>& storage, int64_t count) {
  return {storage, std::span<const T>(storage.get(), static_cast<size_t>(count))};
}

SparseMatrix sort_and_merge(const SparseMatrix& matrix) {
  const int64_t entries = matrix.nonzeros();
  const bool weighted = !matrix.values.empty();
  const std::shared_ptr<int32_t[]> indices(new int32_t[entries]);  // not zero-filled
  const std::shared_ptr<float[]> values(weighted ? new float[entries] : nullptr);
  std::vector<int64_t> offsets = sort_rows(matrix, indices.get(), values.get());
  const int64_t total = exclusive_scan(offsets);
  if (total < entries) {
    if (!weighted) {  // repeated ones do add up to something: with values, then
      SparseMatrix ones = matrix;
      ones.values = std::vector<float>(entries, 1.0f);
      return sort_and_merge(ones);
    }
    for (int64_t row = 0; row < matrix.rows; ++row) {  // close the gaps
      const int64_t from = matrix.offsets[row], to = offsets[row], length = offsets[row + 1] - to;
      std::copy_n(indices.get() + from, length, indices.get() + to);
      std::copy_n(values.get() + from, length, values.get() + to);
    }
  }
  return {matrix.rows, matrix.columns, std::move(offsets), filled(indices, total),
          weighted ? filled(values, total) : Array<float>()};
}

}  // namespace

SparseMatrix sorted_rows(SparseMatrix matrix) {
  if (all_ones(matrix.values.span())) matrix.values = {};
  if (rows_ascend(matrix)) return matrix;
  matrix = sort_and_merge(matrix);
  if (all_ones(matrix.values.span())) matrix.values = {};
  return matrix;
}

}  // namespace gs
