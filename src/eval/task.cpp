#include "eval/task.h"

namespace gs {

std::unique_ptr<EvalTask> find_task(const std::string& name) {
  TaskOptions options;
  options.task = name;
  const std::string_view wanted = options.info().name;
  std::unique_ptr<EvalTask> found;
  for_each_task([&]<class T>(const TaskRow<T>& row) {
    if (row.name == wanted) found = make_task<T>();
  });
  return found;
}

}  // namespace gs
