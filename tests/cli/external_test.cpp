// Commands that are separate programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using testing::HasSubstr;

void write_script(const fs::path& path, const std::string& text) {
  write_text(path, "#!/bin/sh\n" + text);
  fs::permissions(path, fs::perms::owner_all);
}

TEST(External, AnUnknownCommandIsLookedForOnThePath) {
  const TempFolder folder;
  write_script(folder / "graphsurgeon-greet", "echo \"hello $1, $2\"; exit 7\n");
  const Outcome run =
      run_program("greet 'a b' --json", "PATH='" + (folder / "").string() + "':$PATH");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(run.out, "hello a b, --json\n");
}

TEST(External, OwnCommandsComeFirst) {
  const TempFolder folder;
  write_script(folder / "graphsurgeon-data", "echo wrong\n");
  const Outcome run = run_program("data list", "PATH='" + (folder / "").string() + "':$PATH");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, HasSubstr("photo"));
}

TEST(External, HelpListsTheCommandThatImportsTables) {
  EXPECT_THAT(run_program("data --help").out, HasSubstr("import"));
}

TEST(External, AMissingOrNonExecutableProgramIsUnknown) {
  const TempFolder folder;
  write_text(folder / "graphsurgeon-greet", "not executable");
  const std::string path = "PATH='" + (folder / "").string() + "':$PATH";
  for (const char* word : {"greet", "../graphsurgeon-greet", "trian"}) {
    const Outcome run = run_program(word, path);
    EXPECT_EQ(run.exit_code, 2) << word;
    EXPECT_THAT(run.err, HasSubstr("unknown command")) << word;
  }
}

}  // namespace
}  // namespace gs::test
