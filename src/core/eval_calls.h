// `eval`: each of its tasks, and what it found as the JSON that the command prints.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/progress.h"
#include "config/calls.h"

namespace gs {

nlohmann::json evaluate_task(const EvalCall& call, Progress& progress);

}  // namespace gs
