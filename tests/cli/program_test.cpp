// Properties of the program as a whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using testing::HasSubstr;

TEST(Program, OptionsPageIsUpToDate) {
  const Outcome run = run_program("options");
  ASSERT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, read_text(fs::path(GS_TEST_SOURCE_DIR) / "docs/options.md"))
      << "docs/options.md is out of date; run ./dev generate";
}

// The dynamic loader prints what it loads: the executable must answer without libtorch.
TEST(Program, HelpVersionAndDataDoNotLoadTorch) {
  for (const char* arguments :
       {"--help", "--version", "data list", "data info sbm:nodes=50", "completion bash", "man"}) {
    const Outcome run = run_program(arguments, "LD_DEBUG=files");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.err, testing::HasSubstr("libgraphsurgeon_data"));
    EXPECT_THAT(run.err, testing::Not(testing::HasSubstr("libtorch"))) << arguments;
  }
}

TEST(Program, AMisspelledWordNamesTheNearest) {
  const Outcome command = run_program("trian photo");
  EXPECT_EQ(command.exit_code, 2);
  EXPECT_THAT(command.err, HasSubstr("unknown command 'trian'; did you mean 'train'?"));
  EXPECT_THAT(run_program("nearset run 3").err, HasSubstr("did you mean 'nearest'?"));
  EXPECT_THAT(run_program("data inof photo").err, HasSubstr("did you mean 'info'?"));
  EXPECT_THAT(run_program("train photo --epoch 3").err, HasSubstr("did you mean '--epochs'?"));
  for (const auto& [typed, meant] : {std::pair{"foto", "photo"},
                                     {"phtoo", "photo"},
                                     {"pubmd", "pubmed"},
                                     {"facebok", "facebook"}}) {
    const Outcome data = run_program(std::string("data info ") + typed);
    EXPECT_EQ(data.exit_code, 3);
    EXPECT_THAT(data.err, HasSubstr(std::string("did you mean the dataset '") + meant + "'?"));
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TEST(Help, ShowsWhatPeopleUseAndEverythingIfAsked) {
  for (const char* command : {"train", "eval", "embed"}) {
    const auto count = [&](const std::string& flag) {
      const Outcome run = run_program(std::string(command) + " " + flag);
      EXPECT_EQ(run.exit_code, 0) << run.err;
      const auto lines = lines_of(run.out);
      return std::ranges::count_if(lines,
                                   [](const std::string& line) { return line.starts_with("  -"); });
    };
    EXPECT_LE(count("--help"), 26) << command;
    EXPECT_GT(count("--help-all"), count("--help")) << command;
  }
  EXPECT_THAT(run_program("train --help").out,
              testing::AllOf(HasSubstr("--epochs"), HasSubstr("--help-all"),
                             testing::Not(HasSubstr("--walk-length"))));
  EXPECT_THAT(run_program("train --help-all").out,
              testing::AllOf(HasSubstr("--walk-length"), HasSubstr("- dgi: ")));
}

TEST(Help, FitsTheTerminal) {
  for (const int64_t width : {80, 120})
    for (const char* command : {"", "train", "eval", "embed", "nearest", "show", "data info"})
      for (const char* flag : {"--help", "--help-all"}) {
        const Outcome run =
            run_program(std::string(command) + " " + flag, "COLUMNS=" + std::to_string(width));
        ASSERT_EQ(run.exit_code, 0) << run.err;
        for (const std::string& line : lines_of(run.out))
          EXPECT_LE(std::ssize(line), width) << command << " " << flag << ": " << line;
      }
}

// What bash offers after these words; the last one is being typed.
std::vector<std::string> completed(const std::string& words) {
  const TempFolder folder;
  const std::string script = (folder / "complete").string();
  write_text(folder / "complete", run_program("completion bash").out + "\nCOMP_WORDS=(" + words +
                                      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_graphsurgeon\n" +
                                      "printf '%s\\n' \"${COMPREPLY[@]}\" > '" + script +
                                      ".out'\n");
  EXPECT_EQ(
      std::system(("cd '" + folder.path().string() + "' && bash --norc '" + script + "'").c_str()),
      0);
  return lines_of(read_text(folder / "complete.out"));
}

TEST(Completion, OfBashKnowsCommandsFlagsValuesAndDatasets) {
  using testing::Contains;
  using testing::ElementsAre;
  EXPECT_THAT(completed("graphsurgeon tr"), ElementsAre("train"));
  EXPECT_THAT(completed("graphsurgeon data in"), ElementsAre("info"));
  EXPECT_THAT(completed("graphsurgeon train photo --epo"), ElementsAre("--epochs"));
  EXPECT_THAT(completed("graphsurgeon data info photo --make-w"), ElementsAre("--make-width"));
  EXPECT_THAT(completed("graphsurgeon train --method sp"), ElementsAre("spectral"));
  EXPECT_THAT(completed("graphsurgeon train --preset photo-t"), ElementsAre("photo-tuned"));
  EXPECT_THAT(completed("graphsurgeon train pub"), Contains("pubmed"));
  EXPECT_THAT(completed("graphsurgeon train photo -o comp"), Contains("complete")) << "a file";
  EXPECT_THAT(completed("graphsurgeon eval run pub"), Contains("pubmed"));
}

bool installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null").c_str()) == 0;
}

TEST(Completion, IsReadByEveryShellThatIsHere) {
  int64_t tried = 0;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome script = run_program(std::string("completion ") + shell);
    ASSERT_EQ(script.exit_code, 0);
    EXPECT_THAT(script.out, testing::AnyOf(HasSubstr("--epochs"), HasSubstr("-l epochs"))) << shell;
    if (!installed(shell)) continue;
    const TempFolder folder;
    write_text(folder / "script", script.out);
    EXPECT_EQ(
        std::system((std::string(shell) + " -n '" + (folder / "script").string() + "'").c_str()), 0)
        << shell;
    ++tried;
  }
  EXPECT_GE(tried, 1);
  const Outcome unknown = run_program("completion bsh");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'bash'?"));
}

TEST(Man, PageHasEveryOptionAndNoErrors) {
  const Outcome page = run_program("man");
  ASSERT_EQ(page.exit_code, 0);
  for (const char* word :
       {".TH GRAPHSURGEON 1", "graphsurgeon nearest", "\\-\\-walk\\-length", "\\fBspectral\\fR"})
    EXPECT_THAT(page.out, HasSubstr(word));
  if (!installed("groff")) GTEST_SKIP() << "groff is not installed";
  const TempFolder folder;
  write_text(folder / "page.1", page.out);
  const std::string command = "groff -man -Tutf8 -ww '" + (folder / "page.1").string() + "' > '" +
                              (folder / "text").string() + "' 2> '" + (folder / "errors").string() +
                              "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_text(folder / "errors"), "");
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
