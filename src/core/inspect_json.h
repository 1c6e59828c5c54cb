// What `inspect` found, as the JSON that the command prints and the report draws.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "method/inspect.h"

namespace gs {

// Names features, classes and nodes as the data does. `top`: how many features to name at either
// end.
nlohmann::json to_json(const Insight& insight, const Dataset& data, int64_t top);

}  // namespace gs
