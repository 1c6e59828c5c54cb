#include "dataset/readers/word_lists.h"

#include <algorithm>

#include "base/error.h"

namespace gs {

SparseMatrix from_word_lists(std::vector<std::vector<int32_t>> lists, int64_t columns) {
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  offsets.reserve(lists.size() + 1);
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    GS_ASSERT(list.empty() || (list.front() >= 0 && list.back() < columns));
    indices.insert(indices.end(), list.begin(), list.end());
    offsets.push_back(static_cast<int64_t>(indices.size()));
  }
  return {static_cast<int64_t>(lists.size()), columns, std::move(offsets), std::move(indices), {}};
}

}  // namespace gs
