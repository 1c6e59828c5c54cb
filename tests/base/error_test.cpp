#include "base/error.h"

#include <gtest/gtest.h>

namespace gs {

TEST(Error, LineIsPlaceAndMessageWithoutTheHint) {
  const Error error(ErrorKind::data, "no such file", "a.npz", "check the path");
  EXPECT_STREQ(error.what(), "a.npz: no such file");
  EXPECT_EQ(error.hint(), "check the path");
}

TEST(Error, WithoutAPlaceTheLineIsTheMessage) {
  EXPECT_STREQ(Error(ErrorKind::usage, "unknown option").what(), "unknown option");
}

TEST(Error, KindIsTheExitCode) {
  EXPECT_EQ(Error(ErrorKind::internal, "x").exit_code(), 1);
  EXPECT_EQ(Error(ErrorKind::usage, "x").exit_code(), 2);
  EXPECT_EQ(Error(ErrorKind::data, "x").exit_code(), 3);
  EXPECT_EQ(Error(ErrorKind::interrupted, "x").exit_code(), 4);
}

TEST(Error, ControlCharactersOfAFileNeverReachTheTerminal) {
  const Error error(ErrorKind::data, "bad\x1b[2J", "a\nb", "c\x07\x7f");
  EXPECT_STREQ(error.what(), "a b: bad [2J");
  EXPECT_EQ(error.hint(), "c  ");
}

TEST(Error, FailDataAndFailUsageThrowTheirKinds) {
  try {
    fail_data("file:3", "bad row", "fix it");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_EQ(error.where(), "file:3");
    EXPECT_EQ(error.message(), "bad row");
  }
  EXPECT_THROW(
      {
        try {
          fail_usage("--seed", "not a number");
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::usage);
          throw;
        }
      },
      Error);
}

TEST(Error, FailedAssertionNamesConditionFileAndLine) {
  const int line = __LINE__ + 2;
  try {
    GS_ASSERT(1 + 1 == 3);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_NE(error.message().find("1 + 1 == 3"), std::string::npos);
    EXPECT_NE(error.where().find("error_test.cpp:" + std::to_string(line)), std::string::npos);
  }
}

TEST(Error, PrintableCutsLongTextAndReplacesControls) {
  EXPECT_EQ(printable("abc\tdef", 5), "abc d...");
  EXPECT_EQ(printable("abc", 3), "abc");
}

}  // namespace gs
