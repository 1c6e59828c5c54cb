// The calls of the core library that the executable makes. Torch-free: the executable loads the
// library only when a command needs it, and calls it through this table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "command/embed.h"
#include "command/eval.h"
#include "command/inspect.h"
#include "command/train.h"

namespace gs {

template <class Request, class Result>
struct CommandApi {
  Result (*run)(const Request& request, Progress& progress);
  nlohmann::json (*to_json)(const Result& result);
  std::string (*to_text)(const Result& result);
};

struct CoreApi {
  CommandApi<TrainRequest, TrainResult> train;
  CommandApi<TrainRequest, PlanResult> plan;
  CommandApi<EmbedRequest, EmbedResult> embed;
  CommandApi<EvalRequest, EvalResult> eval;
  CommandApi<InspectRequest, InspectResult> inspect;
};

// The one symbol that the executable looks up.
extern "C" const CoreApi* gs_core_api();

}  // namespace gs
