#include "loader/subgraph_batch.h"

#include <algorithm>

#include "base/error.h"

namespace gs {

TargetSet::TargetSet(int64_t count, std::span<const int32_t> nodes)
    : size_(nodes.empty() ? count : static_cast<int64_t>(nodes.size())) {
  if (nodes.empty()) return;
  in_.resize(static_cast<size_t>(count));
  for (const int32_t v : nodes) {
    GS_ASSERT(v >= 0 && v < count && !in_[v]);
    in_[v] = 1;
  }
}

int64_t TargetSet::targets_first(std::vector<int32_t>& nodes) const {
  std::sort(nodes.begin(), nodes.end());
  if (in_.empty()) return static_cast<int64_t>(nodes.size());
  const auto rest =
      std::stable_partition(nodes.begin(), nodes.end(), [&](int32_t v) { return in_[v] != 0; });
  return rest - nodes.begin();
}

}  // namespace gs
