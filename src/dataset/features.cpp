#include "dataset/features.h"

#include <algorithm>

#include "base/parallel.h"

namespace gs {

namespace {

constexpr int64_t kCountBlock = int64_t{1} << 20;

}  // namespace

int64_t Features::rows() const {
  return std::visit([](const auto& m) { return m.rows; }, matrix);
}

int64_t Features::width() const {
  return std::visit([](const auto& m) { return m.columns; }, matrix);
}

int64_t Features::nonzeros() const {
  if (sparse()) return sparse_matrix().nonzeros();
  const Array<float>& values = dense_matrix().values;
  // Block counts are far below 2^53, so the double sum is exact.
  return static_cast<int64_t>(
      parallel_sum(values.size(), kCountBlock, [&](int64_t begin, int64_t end) {
        const auto part = values.slice(begin, end);
        return static_cast<double>(std::ranges::count_if(part, [](float v) { return v != 0; }));
      }));
}

int64_t Features::bytes() const {
  if (!sparse()) return dense_matrix().values.bytes();
  const SparseMatrix& m = sparse_matrix();
  return m.offsets.bytes() + m.indices.bytes() + m.values.bytes();
}

}  // namespace gs
