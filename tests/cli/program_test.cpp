// Properties of the program as a whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

TEST(Program, OptionsPageIsUpToDate) {
  const Outcome run = run_program("options");
  ASSERT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, read_text(fs::path(GS_TEST_SOURCE_DIR) / "docs/options.md"))
      << "docs/options.md is out of date; run ./dev generate";
}

// The dynamic loader prints what it loads: the executable must answer without libtorch.
TEST(Program, HelpVersionAndDataDoNotLoadTorch) {
  for (const char* arguments : {"--help", "--version", "data list", "data info sbm:nodes=50"}) {
    const Outcome run = run_program(arguments, "LD_DEBUG=files");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.err, testing::HasSubstr("libgraphsurgeon_data"));
    EXPECT_THAT(run.err, testing::Not(testing::HasSubstr("libtorch"))) << arguments;
  }
}

}  // namespace
}  // namespace gs::test
