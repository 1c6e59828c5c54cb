// The command `train`. The request and the result are the trainer's own (train/trainer.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/progress.h"
#include "train/trainer.h"

namespace gs {

// Loads the data and trains on it.
TrainResult run(const TrainRequest& request, Progress& progress);
// Trains on data that is already loaded.
TrainResult run(const TrainRequest& request, const Dataset& data, Progress& progress);

nlohmann::json to_json(const TrainResult& result);
std::string to_text(const TrainResult& result);

}  // namespace gs
