// JSON from files that may be hostile.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace gs {

// Parses the text. Throws nlohmann::json::exception if it is not JSON or is nested more than 100
// deep: what walks over the values does so by recursion.
nlohmann::json parse_json(std::string_view text);

// Whether brackets outside of strings are nested more than 100 deep.
bool nested_too_deep(std::string_view text);

}  // namespace gs
