// Layers and skip where the options leave them to the data (--layers 0, --skip auto): chosen by the
// features and the edges, never by a label.
#pragma once

#include <string>
#include <vector>

#include "config/run_options.h"
#include "dataset/dataset.h"

namespace gs {

struct Settled {
  RunOptions options;                // with every value decided
  std::vector<std::string> by_data;  // names of the options that the data decided
  std::string note;                  // what was chosen and why; empty where nothing was left open
};

// Does the model leave nothing to the data?
bool is_settled(const ModelOptions& model);

Settled settle(const RunOptions& options, const Dataset& data);

}  // namespace gs
