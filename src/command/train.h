// The command `train`. The request and the result are the trainer's own (train/trainer.h).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/progress.h"
#include "train/estimate.h"
#include "train/trainer.h"

namespace gs {

// Loads the data and trains on it.
TrainResult run(const TrainRequest& request, Progress& progress);
// Trains on data that is already loaded.
TrainResult run(const TrainRequest& request, const Dataset& data, Progress& progress);

nlohmann::json to_json(const TrainResult& result);
std::string to_text(const TrainResult& result);

// What a training would do: nothing is trained and nothing is written.
struct PlanResult {
  std::string data, method;
  int64_t nodes = 0, edges = 0, features = 0, epochs = 0;
  bool undirected = false;
  std::string decided;  // what the data decided, and why
  Plan plan;
  Estimate estimate;
  int threads = 0;
};

PlanResult plan(const TrainRequest& request, Progress& progress);
nlohmann::json to_json(const PlanResult& result);
std::string to_text(const PlanResult& result);

}  // namespace gs
