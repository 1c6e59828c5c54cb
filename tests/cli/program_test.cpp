// Properties of the program as a whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <regex>
#include <set>

#include "support/files.h"
#include "support/program.h"
#include "version.h"

namespace gs::test {
namespace {

TEST(Program, OptionsPageIsUpToDate) {
  const Outcome run = run_program("options");
  ASSERT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, read_text(fs::path(GS_TEST_SOURCE_DIR) / "docs/options.md"))
      << "docs/options.md is stale: build/graphsurgeon options > docs/options.md";
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

// Folders in order; a file may include its own folder and those above.
TEST(Sources, AFolderIncludesOnlyFoldersAboveIt) {
  const std::vector<std::string> order{"base",   "graph", "dataset", "kernels", "config",
                                       "loader", "study", "nn",      "augment", "objective",
                                       "method", "eval",  "train",   "core",    "cli"};
  const std::set<std::string> torch_free{"base",   "graph",  "dataset", "kernels",
                                         "config", "loader", "study",   "cli"};
  const auto rank = [&](const std::string& folder) {
    return std::find(order.begin(), order.end(), folder) - order.begin();
  };
  const fs::path root = fs::path(GS_TEST_SOURCE_DIR) / "src";
  const std::regex include("#include \"([a-z_]+)/[^\"]*\""), torch("#include <(ATen|torch|c10)/");
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    ++files;
    const std::string folder = *fs::relative(entry.path(), root).begin();
    ASSERT_LT(rank(folder), std::ssize(order))
        << folder << " is missing from the order in this test";
    const std::string text = read_text(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
      const std::string other = (*it)[1];
      EXPECT_LE(rank(other), rank(folder)) << entry.path() << " includes " << other;
      if (folder == "cli" && other != "core") {
        EXPECT_TRUE(torch_free.contains(other)) << entry.path();
      }
    }
    if (torch_free.contains(folder)) {
      EXPECT_FALSE(std::regex_search(text, torch)) << entry.path() << " includes libtorch";
    }
  }
  EXPECT_GT(files, 40);
}

}  // namespace
}  // namespace gs::test
