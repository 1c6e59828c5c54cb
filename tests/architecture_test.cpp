// The rules of docs/architecture.md that a compiler does not check.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/files.h"

namespace gs::test {
namespace {

const fs::path kRoot = GS_TEST_SOURCE_DIR;
const fs::path kSources = kRoot / "src";

// A file may include its own folder and those before it.
constexpr auto kOrder = std::to_array<std::string_view>(
    {"base", "graph", "dataset", "kernels", "options", "loader", "nn", "augment", "objective",
     "method", "run", "eval", "train", "command", "cli"});
constexpr auto kTorchFree = std::to_array<std::string_view>(
    {"base", "graph", "dataset", "kernels", "options", "loader", "cli"});
// Files of the other folders that are torch-free too.
const std::set<std::string> kTorchFreeFiles{
    "run/card.h",   "run/card.cpp",   "run/folder.h",        "run/folder.cpp",
    "run/info.h",   "run/info.cpp",   "run/nearest.h",       "run/nearest.cpp",
    "run/record.h", "run/record.cpp", "command/nearest.cpp", "command/show.cpp"};

template <class Range>
auto rank(const Range& range, std::string_view folder) {
  return std::find(range.begin(), range.end(), folder) - range.begin();
}

bool is_code(const fs::path& path) {
  return path.extension() == ".h" || path.extension() == ".cpp";
}

// Sources below src/, as "folder/name.h", with their text.
const std::map<std::string, std::string>& sources() {
  static const auto all = [] {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(kSources))
      if (is_code(entry.path()))
        out[fs::relative(entry.path(), kSources).string()] = read_text(entry.path());
    return out;
  }();
  return all;
}

std::string folder_of(const std::string& file) { return file.substr(0, file.find('/')); }

std::vector<std::string> included_by(const std::string& text) {
  static const std::regex include("#include \"([a-z_0-9]+/[^\"]*)\"");
  std::vector<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it)
    out.push_back((*it)[1]);
  return out;
}

// The files from `file` to the first that includes libtorch, or nothing.
std::string way_to_torch(const std::string& file, std::set<std::string>& seen) {
  static const std::regex torch("#include <(ATen|torch|c10)/");
  const auto found = sources().find(file);
  if (found == sources().end() || !seen.insert(file).second) return {};
  if (std::regex_search(found->second, torch)) return file;
  for (const std::string& next : included_by(found->second))
    if (const std::string way = way_to_torch(next, seen); !way.empty()) return file + " > " + way;
  return {};
}

TEST(Architecture, AFolderIncludesOnlyFoldersBeforeIt) {
  EXPECT_GT(sources().size(), 100u);
  for (const auto& [file, text] : sources()) {
    const auto own = rank(kOrder, folder_of(file));
    ASSERT_LT(own, std::ssize(kOrder)) << file << " is in a folder that this test does not know";
    for (const std::string& other : included_by(text))
      EXPECT_LE(rank(kOrder, folder_of(other)), own) << file << " includes " << other;
  }
}

TEST(Architecture, TorchFreeFilesReachNoHeaderOfLibtorch) {
  for (const auto& [file, text] : sources()) {
    const std::string folder = folder_of(file);
    const bool header = file.ends_with(".h");
    if (rank(kTorchFree, folder) == std::ssize(kTorchFree) && !kTorchFreeFiles.contains(file) &&
        !(folder == "command" && header))
      continue;
    std::set<std::string> seen;
    EXPECT_EQ(way_to_torch(file, seen), "");
  }
  for (const std::string& file : kTorchFreeFiles) EXPECT_TRUE(sources().contains(file));
}

// A longer file says why in its first lines: "Long because ...".
TEST(Architecture, FilesAreShortOrSayWhyNot) {
  constexpr int64_t kMostInHeader = 150, kMostInSource = 400, kFirstLines = 12;
  for (const char* folder : {"src", "bench", "examples", "python", "tests", "tools"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const fs::path& path = entry.path();
      if (!is_code(path) && path.extension() != ".py") continue;
      std::istringstream text(read_text(path));
      int64_t lines = 0;
      bool reason = false;
      for (std::string line; std::getline(text, line); ++lines)
        reason |= lines < kFirstLines && line.find("Long because") != std::string::npos;
      EXPECT_TRUE(reason || lines <= (path.extension() == ".h" ? kMostInHeader : kMostInSource))
          << path << " has " << lines << " lines";
    }
}

TEST(Architecture, TheTreeHasFewFiles) {
  const std::string command = "git -C '" + kRoot.string() + "' ls-files 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  int64_t files = 0;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) files += c == '\n';
  if (pclose(pipe) != 0) GTEST_SKIP() << "not a git working tree";
  EXPECT_LT(files, 950);
}

}  // namespace
}  // namespace gs::test
