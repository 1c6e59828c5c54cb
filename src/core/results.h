// What every caller of the core tells of a training.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "train/trainer.h"

namespace gs {

// The result of `train --json`.
nlohmann::json to_json(const TrainResult& result, const TrainCall& call);

}  // namespace gs
