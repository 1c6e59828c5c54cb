#include "base/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gs::test {
namespace {

TEST(Json, ParsesWhatIsNestedAHundredDeep) {
  const std::string open(100, '['), close(100, ']');
  EXPECT_TRUE(parse_json(open + close).is_array());
  EXPECT_THROW(parse_json("[" + open + close + "]"), nlohmann::json::exception);
  EXPECT_THROW(parse_json(std::string(100'000, '[')), nlohmann::json::exception);
}

TEST(Json, BracketsInStringsDoNotCount) {
  const std::string text = std::string(200, '[') + "\\\\\\\"" + std::string(200, '{');
  EXPECT_EQ(parse_json("{\"a\": \"" + text + "\"}").size(), 1u);
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "[1,]", "]]", "\"\\"})
    EXPECT_THROW(parse_json(text), nlohmann::json::exception) << text;
}

}  // namespace
}  // namespace gs::test
