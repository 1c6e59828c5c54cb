// Options that are left to the data (--layers 0, --skip auto, --row-transform auto, --magnitudes
// -1). They are chosen from the features and the edges, never from labels.
#pragma once

#include <string>
#include <vector>

#include "dataset/dataset.h"
#include "options/run.h"

namespace gs {

struct ChosenOptions {
  RunOptions options;                // with every value decided
  std::vector<std::string> by_data;  // names of the options that the data decided
  std::string note;                  // what was chosen and why; empty if nothing was left open
};

// Whether the model leaves anything to the data.
bool has_auto_options(const ModelOptions& model);

ChosenOptions choose_auto_options(const RunOptions& options, const Dataset& data);

}  // namespace gs
