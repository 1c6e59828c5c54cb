#include "support/files.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/error.h"

namespace gs::test {

TempFolder::TempFolder() {
  std::string pattern = (fs::temp_directory_path() / "gs-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary folder");
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_text(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

void run_python(const fs::path& folder, const std::string& script) {
  const fs::path source = folder / "script_for_test.py";
  write_text(source,
             "import numpy as np, scipy.sparse as sp, json, gzip, os, struct, zipfile\n" + script);
  const std::string command = "cd '" + folder.string() +
                              "' && '" GS_TEST_PYTHON
                              "' script_for_test.py > script_output.txt 2>&1";
  const int status = std::system(command.c_str());
  const std::string output = read_text(folder / "script_output.txt");
  fs::remove(source);
  fs::remove(folder / "script_output.txt");
  if (status != 0) throw std::runtime_error("Python script failed:\n" + output);
}

fs::path shared_data() {
  if (const char* root = std::getenv("GRAPHSURGEON_DATA"); root && *root) return root;
  const fs::path beside = fs::path(GS_TEST_SOURCE_DIR).parent_path() / "shared" / "data";
  return fs::exists(beside) ? beside : fs::path();
}

std::string expect_data_error(const std::function<void()>& action, const std::string& part) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << error.what() << "\n  lacks: " << part;
    EXPECT_FALSE(error.where().empty()) << error.what();
    EXPECT_FALSE(error.hint().empty()) << error.what() << " has no hint";
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no error; expected: " << part;
  return {};
}

}  // namespace gs::test
