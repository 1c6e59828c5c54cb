// What a user reads when something is wrong.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"

namespace gs::test {

// "where: message | hint" of the Error that `action` throws. The test fails if there is none, or
// one of another kind.
inline std::string error_of(ErrorKind kind, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return std::string(error.what()) + " | " + error.hint();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// The same for a usage Error, which always has a hint.
inline std::string usage_error(const std::function<void()>& action) {
  const std::string error = error_of(ErrorKind::usage, action);
  EXPECT_FALSE(error.ends_with("| ")) << error << "has no hint";
  return error;
}

}  // namespace gs::test
