// What the executable asks of the core library. Torch-free: the executable loads the library only
// when a command needs it, and calls it through this table.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/progress.h"
#include "config/calls.h"

namespace gs {

struct CoreApi {
  nlohmann::json (*train)(const TrainCall& call, Progress& progress);
  nlohmann::json (*embed)(const EmbedCall& call, Progress& progress);
  nlohmann::json (*evaluate)(const EvalCall& call, Progress& progress);
  nlohmann::json (*inspect)(const InspectCall& call, Progress& progress);
};

// The one symbol that the executable looks up.
extern "C" const CoreApi* gs_core_api();

}  // namespace gs
