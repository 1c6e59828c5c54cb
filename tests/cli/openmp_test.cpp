// The process has one OpenMP runtime, libtorch's: two would compete for the cores.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <regex>
#include <set>

#include "base/parallel.h"

namespace gs {
namespace {

TEST(OpenMp, OneRuntimeInTheProcess) {
  std::atomic<int64_t> seen = 0;
  parallel_for(1000, 1, [&](int64_t begin, int64_t end) { seen += end - begin; });
  EXPECT_EQ(seen, 1000);
  EXPECT_GE(at::get_num_threads(), 1);
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> runtimes, torch;
  const std::regex runtime("(/\\S*lib(gomp|iomp5|omp)[^/]*\\.so\\S*)");
  for (std::string line; std::getline(maps, line);) {
    std::smatch match;
    if (std::regex_search(line, match, runtime)) runtimes.insert(match[1]);
    if (line.find("libtorch_cpu") != std::string::npos) torch.insert(line);
  }
  EXPECT_EQ(runtimes.size(), 1u) << testing::PrintToString(runtimes);
  EXPECT_FALSE(torch.empty()) << "libtorch is not loaded, so this test shows nothing";
}

}  // namespace
}  // namespace gs
