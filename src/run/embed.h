// Embeddings of a graph, the training graph or another, by a run's model.
#pragma once

#include <filesystem>
#include <string>

#include "base/progress.h"
#include "run/model.h"

namespace gs {

// Data Error at `name` unless the data has the features that the model was trained on.
void check_width(const RunInfo& info, const Dataset& data, const std::string& name);

// Usage Error at `what` for a run that learned from labels: it predicts classes.
void check_gives_embeddings(const RunInfo& info, const std::string& what);

// The embeddings, N x W floats on the CPU. Data Error at `name` as above.
at::Tensor embed(const LoadedModel& run, const Dataset& data, const std::string& name,
                 const InferenceOptions& options = {}, Progress& progress = no_progress());

// The embeddings in an .npy, mapped if it holds floats in rows. Data Error unless it has one row
// per node.
at::Tensor load_embeddings(const std::filesystem::path& path, int64_t nodes);

}  // namespace gs
