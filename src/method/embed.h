// The embeddings that a run's model gives to a graph, the same or another.
#pragma once

#include <string>

#include "base/progress.h"
#include "method/run_folder.h"

namespace gs {

// Data Error at `name` unless the data has the features that the model was trained on.
void check_width(const RunInfo& info, const Dataset& data, const std::string& name);

// Usage Error at `what` for a run that learned from labels: it predicts classes.
void check_gives_embeddings(const RunInfo& info, const std::string& what);

// N x W floats on the CPU. Data Error at `name` as above.
at::Tensor embed(const LoadedModel& run, const Dataset& data, const std::string& name,
                 const InferenceOptions& options = {}, Progress& progress = no_progress());

}  // namespace gs
