// For the sources of tasks alone: here the class must be complete.
#pragma once

#include "eval/task.h"

namespace gs {

template <class T>
std::unique_ptr<EvalTask> make_task() {
  return std::make_unique<T>();
}

}  // namespace gs
