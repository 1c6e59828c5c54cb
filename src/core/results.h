// What every caller of the core tells of a training, and asks before it embeds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "method/run_folder.h"
#include "train/trainer.h"

namespace gs {

// The result of `train --json`.
nlohmann::json to_json(const TrainResult& result, const TrainCall& call);

// Data Error at `name` unless the data has the features that the model was trained on.
void check_width(const RunInfo& info, const Dataset& data, const std::string& name);

}  // namespace gs
