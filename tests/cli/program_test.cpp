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

// An empty entry of a run path means the current folder.
TEST(Program, RunPathsHaveNoEmptyOrRelativeEntry) {
  const fs::path build = GS_TEST_BINARY_DIR;
  int seen = 0;
  std::vector<fs::path> names{"graphsurgeon", "libgraphsurgeon_data.so", "libgraphsurgeon.so"};
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(build / "python/graphsurgeon", none))
    if (entry.path().extension() == ".so") names.push_back(entry.path());
  for (const fs::path& name : names) {
    if (!fs::exists(build / name)) continue;
    const TempFolder folder;
    const std::string command =
        "readelf -d '" + (build / name).string() + "' > '" + (folder / "out").string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const std::string text = read_text(folder / "out");
    const size_t found = text.find("path: [");
    ASSERT_NE(found, std::string::npos) << text;
    const size_t begin = found + 7;
    std::string paths = text.substr(begin, text.find(']', begin) - begin) + ":";
    for (size_t at = 0; at < paths.size(); ++seen) {
      const size_t end = paths.find(':', at);
      const std::string path = paths.substr(at, end - at);
      EXPECT_TRUE(path.starts_with("/") || path.starts_with("$ORIGIN")) << name << ": " << paths;
      at = end + 1;
    }
  }
  EXPECT_GE(seen, 4);
}

}  // namespace
}  // namespace gs::test
