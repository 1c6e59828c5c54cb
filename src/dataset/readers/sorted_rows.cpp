#include "dataset/readers/sorted_rows.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/parallel.h"

namespace gs {

namespace {

// Entries that are worth a thread's while: to look at, and to sort.
constexpr int64_t kGrain = 1 << 19, kSortGrain = 1 << 17, kBlock = 1 << 12;

// Whether columns ascend within every row: entries that do not exceed the one before them are
// counted without regard to rows, which is a plain loop, and must all be the first of a row.
bool rows_ascend(const SparseMatrix& matrix) {
  std::atomic<int64_t> excess = 0;
  parallel_for_weighted(matrix.offsets.span(), kGrain, [&](int64_t begin, int64_t end) {
    const int32_t* const columns = matrix.indices.data();
    const int64_t first = matrix.offsets[begin], last = matrix.offsets[end];
    int64_t falls = 0;
    for (int64_t i = first + 1; i < last;) {
      const int64_t stop = std::min(last, i + kBlock);
      int32_t falls_here = 0;
      for (; i < stop; ++i) falls_here += columns[i - 1] >= columns[i];
      falls += falls_here;
    }
    for (int64_t row = begin + 1; row < end; ++row) {
      const int64_t at = matrix.offsets[row];
      falls -= first < at && at < matrix.offsets[row + 1] && columns[at - 1] >= columns[at];
    }
    excess += falls;
  });
  return excess == 0;
}

bool all_ones(std::span<const float> values) {
  std::atomic<bool> ones = true;
  parallel_for(static_cast<int64_t>(values.size()), kGrain, [&](int64_t begin, int64_t end) {
    while (begin < end && ones.load(std::memory_order_relaxed)) {
      const int64_t stop = std::min(end, begin + kBlock);
      uint32_t other = 0;
      for (; begin < stop; ++begin)
        other |= std::bit_cast<uint32_t>(values[begin]) ^ std::bit_cast<uint32_t>(1.0f);
      if (other != 0) ones = false;
    }
  });
  return ones;
}

// Sorts rows by marking columns in a byte each and adding values up in a dense row: linear, for
// rows that are full enough. (Bytes, since marking bits of one word waits for the mark before.)
class DenseRowSorter {
 public:
  explicit DenseRowSorter(int64_t columns, bool with_values)
      : marks_(8 * (columns / 64 + 1)), sums_(with_values ? columns : 0) {}

  // Writes the sorted, merged row to `out_*` and returns its length. Without values repeated
  // entries just merge.
  int64_t operator()(std::span<const int32_t> columns, const float* values, int32_t* out_columns,
                     float* out_values) {
    auto* const bytes = reinterpret_cast<unsigned char*>(marks_.data());
    for (size_t i = 0; i < columns.size(); ++i) {
      bytes[columns[i]] = 0x80;
      if (values) sums_[columns[i]] += values[i];
    }
    int64_t length = 0;
    for (size_t word = 0; word < marks_.size(); word += 8) {
      // 64 marks as 64 bits: few turns of the loop below, which the CPU foresees badly.
      uint64_t bits = 0;
      for (size_t i = 0; i < 8; ++i)
        bits |= (std::exchange(marks_[word + i], 0) * 0x0002040810204081u >> 56) << 8 * i;
      for (; bits != 0; bits &= bits - 1) {
        const auto column = static_cast<int32_t>(word * 8 + std::countr_zero(bits));
        if (values) out_values[length] = std::exchange(sums_[column], 0.0f);
        out_columns[length++] = column;
      }
    }
    return length;
  }

 private:
  std::vector<uint64_t> marks_;  // eight columns per word
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
  // A word of marks costs about what sorting a quarter of an entry does.
  const bool full = matrix.columns / 32 <= matrix.nonzeros() / std::max<int64_t>(matrix.rows, 1);
  parallel_for_weighted(matrix.offsets.span(), kSortGrain, [&](int64_t begin, int64_t end) {
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
  const std::shared_ptr<int32_t[]> indices = uninitialized<int32_t>(entries);
  const std::shared_ptr<float[]> values = weighted ? uninitialized<float>(entries) : nullptr;
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
