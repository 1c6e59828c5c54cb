// Helpers for tests that touch files: a folder that goes away, Python to write files as their real
// producers do, and the real datasets where they are present.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

namespace gs::test {

namespace fs = std::filesystem;

class TempFolder {  // removed with everything in it at the end
 public:
  TempFolder();
  ~TempFolder();
  const fs::path& path() const { return path_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

void write_text(const fs::path& path, const std::string& text);  // makes folders on the way
std::string read_text(const fs::path& path);

// Runs a Python script (numpy, scipy as np, sp) with the folder as working directory; throws with
// its output when it fails.
void run_python(const fs::path& folder, const std::string& script);

// $GRAPHSURGEON_DATA, or shared/data beside the checkout; empty when there is none.
fs::path shared_data();

// Runs `action`, expects a gs::Error of kind data whose line holds `part`, with a hint or place;
// returns the line.
std::string expect_data_error(const std::function<void()>& action, const std::string& part);

}  // namespace gs::test

// Skips, with a note, where the real datasets are absent.
#define GS_NEEDS_SHARED_DATA()         \
  if (gs::test::shared_data().empty()) \
  GTEST_SKIP() << "real datasets are not here; set GRAPHSURGEON_DATA"
