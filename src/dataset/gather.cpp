#include "dataset/gather.h"

#include <algorithm>
#include <cstring>

#include "base/memory.h"

namespace gs {

namespace {

constexpr int64_t kAhead = 4;  // rows fetched ahead
constexpr int64_t kLongest =
    4096;  // bytes of a row fetched ahead; the hardware continues from there
constexpr int64_t kCacheLine = 64;

void fetch(const void* begin, int64_t bytes) {
  for (int64_t at = 0; at < std::min(bytes, kLongest); at += kCacheLine)
    __builtin_prefetch(static_cast<const char*>(begin) + at);
}

DenseMatrix gather_rows(const DenseMatrix& from, std::span<const int32_t> rows) {
  const auto count = static_cast<int64_t>(rows.size());
  const int64_t width = from.columns, bytes = width * static_cast<int64_t>(sizeof(float));
  std::shared_ptr<float[]> values = uninitialized<float>(count * width);
  for (int64_t i = 0; i < count && width > 0; ++i) {
    if (i + kAhead < count) fetch(from.values.data() + rows[i + kAhead] * width, bytes);
    std::memcpy(values.get() + i * width, from.values.data() + rows[i] * width,
                static_cast<size_t>(bytes));
  }
  const std::span<const float> view(values.get(), static_cast<size_t>(count * width));
  return {count, width, Array<float>(std::move(values), view)};
}

template <class T>
Array<T> gather_entries(const Array<T>& from, const SparseMatrix& matrix,
                        std::span<const int32_t> rows, int64_t entries) {
  if (from.empty()) return {};
  std::shared_ptr<T[]> out = uninitialized<T>(entries);
  const auto count = static_cast<int64_t>(rows.size());
  T* at = out.get();
  for (int64_t i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      const int64_t next = rows[i + kAhead], begin = matrix.offsets[next];
      fetch(from.data() + begin, (matrix.offsets[next + 1] - begin) * int64_t{sizeof(T)});
    }
    const T* const begin = from.data() + matrix.offsets[rows[i]];
    at = std::copy(begin, from.data() + matrix.offsets[rows[i] + 1], at);
  }
  const std::span<const T> view(out.get(), static_cast<size_t>(entries));
  return Array<T>(std::move(out), view);
}

SparseMatrix gather_rows(const SparseMatrix& from, std::span<const int32_t> rows) {
  std::vector<int64_t> offsets(rows.size() + 1);
  for (size_t i = 0; i < rows.size(); ++i)
    offsets[i + 1] = offsets[i] + from.offsets[rows[i] + 1] - from.offsets[rows[i]];
  const int64_t entries = offsets.back();
  SparseMatrix out;
  out.rows = static_cast<int64_t>(rows.size());
  out.columns = from.columns;
  out.indices = gather_entries(from.indices, from, rows, entries);
  out.values = gather_entries(from.values, from, rows, entries);
  out.offsets = std::move(offsets);
  return out;
}

}  // namespace

Features gather(const Features& features, std::span<const int32_t> rows) {
  if (features.sparse()) return {gather_rows(features.sparse_matrix(), rows)};
  return {gather_rows(features.dense_matrix(), rows)};
}

Array<float> gather(const Array<float>& values, std::span<const int32_t> nodes) {
  if (values.empty()) return {};
  const auto count = static_cast<int64_t>(nodes.size());
  std::shared_ptr<float[]> out = uninitialized<float>(count);
  for (int64_t i = 0; i < count; ++i) out[i] = values[nodes[i]];
  const std::span<const float> view(out.get(), nodes.size());
  return Array<float>(std::move(out), view);
}

}  // namespace gs
