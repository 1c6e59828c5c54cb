#include "base/json.h"

#include <nlohmann/json.hpp>

namespace gs {

bool nested_too_deep(std::string_view text) {
  constexpr int kDeepest = 100;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

nlohmann::json parse_json(std::string_view text) {
  constexpr int kOtherError = 501;
  if (nested_too_deep(text))
    throw nlohmann::json::other_error::create(kOtherError, "it is nested more than 100 deep",
                                              static_cast<nlohmann::json*>(nullptr));
  return nlohmann::json::parse(text);
}

}  // namespace gs
