#include "dataset/dataset.h"

#include <algorithm>

namespace gs {

std::string_view task_name(Task task) {
  switch (task) {
    case Task::none:
      return "none";
    case Task::binary:
      return "bc";
    case Task::multiclass:
      return "mcc";
    case Task::multilabel:
      return "mlc";
  }
  return "none";
}

bool Labels::known(int64_t node) const {
  if (task == Task::none) return false;
  if (task == Task::multilabel) return classes > 0 && multi[node * classes] != kUnknown;
  return single[node] >= 0;
}

int64_t Labels::known_count() const {
  if (task == Task::none) return 0;
  if (task != Task::multilabel)
    return std::ranges::count_if(single, [](int32_t c) { return c >= 0; });
  if (classes == 0) return 0;
  int64_t count = 0;
  for (int64_t i = 0; i < multi.size(); i += classes) count += multi[i] != kUnknown;
  return count;
}

}  // namespace gs
