// `eval`: scores a run or an .npy of embeddings by one of the tasks of options/tasks.h. No libtorch
// in this header.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/progress.h"
#include "eval/task.h"

namespace gs {

struct EvalResult {
  std::shared_ptr<const TaskResult> task;
};

// Keeps the scores of a run on its own training data in the run folder if the request and the task
// ask for it; a folder that cannot be written gives a note instead. Usage Error for an option that
// the task does not read.
EvalResult run(const EvalRequest& request, Progress& progress = no_progress());

nlohmann::json to_json(const EvalResult& result);
std::string to_text(const EvalResult& result);

}  // namespace gs
