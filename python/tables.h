// The tables of the core as JSON: options, presets, methods.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "options/run.h"

namespace gs {

// The options in `text`, a JSON object of those that differ from their method's defaults.
RunOptions run_options(const std::string& text);
// Every option after the method's defaults and the protocol, as `train` would use them.
nlohmann::json resolved_options(const std::string& text);
// The method of `train` without --method where the user set the options `given`.
std::string chosen_method(const std::vector<std::string>& given);

nlohmann::json option_table();
nlohmann::json preset_table();
nlohmann::ordered_json method_table();  // in the order of the table

}  // namespace gs
