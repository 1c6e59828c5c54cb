#include "dataset/check_sparse.h"

#include "base/error.h"
#include "base/parallel.h"

namespace gs {

void check_sparse(const SparseMatrix& m, const std::string& where, const std::string& hint) {
  constexpr int64_t kGrain = 1 << 14;
  const auto fail = [&](const std::string& message) { fail_data(where, message, hint); };
  if (m.rows < 0 || m.offsets.size() != m.rows + 1)
    fail(fmt::format("{} feature offsets for {} rows", m.offsets.size(), m.rows));
  if (!m.values.empty() && m.values.size() != m.nonzeros())
    fail(fmt::format("{} feature values for {} entries", m.values.size(), m.nonzeros()));
  if (m.offsets[0] != 0 || m.offsets[m.rows] != m.nonzeros())
    fail(fmt::format("feature offsets run from {} to {} over {} entries", m.offsets[0],
                     m.offsets[m.rows], m.nonzeros()));
  parallel_for(m.rows, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      if (m.offsets[r] > m.offsets[r + 1])
        fail(fmt::format("feature offset {} is less than the one before it", r + 1));
  });
  parallel_for_weighted(m.offsets.span(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t previous = -1;
      for (const int32_t column : m.indices.slice(m.offsets[r], m.offsets[r + 1])) {
        if (column <= previous)
          fail(fmt::format("row {} is not in ascending order at column {}", r, column));
        if (column >= m.columns)
          fail(fmt::format("row {} names column {} of {}", r, column, m.columns));
        previous = column;
      }
    }
  });
}

}  // namespace gs
