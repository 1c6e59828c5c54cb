// Every file operation and many allocations of a command fail, one per run: a clear error or
// success, nothing torn, nothing left behind, and the same command without the fault completes the
// work to the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

constexpr const char* kLibrary = GS_TEST_BINARY_DIR "/libgs_faults.so";

// A command on the smallest graph. `output`: what it writes, compared byte by byte with what it
// writes without a fault; `files`: those of them that must be equal.
struct Case {
  std::string name, words, output;
  std::vector<std::string> files;
  std::string again;  // added to complete the work after a fault
  bool core = true;   // loads libtorch
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::vector<Case> cases() {
  const std::string small = " --threads 1 --quiet";
  return {{"train",
           "train {0}/data -o {1} --epochs 2 --aug-dim 4 --dim 2 --layers 1 --skip none"
           " --checkpoint-every 1" +
               small,
           "run",
           {"embeddings.npy", "model.safetensors", "options.json"},
           " --resume"},
          {"spectral",
           "train {0}/data -o {1} --dim 4" + small,
           "run",
           {"embeddings.npy", "model.safetensors"},
           " --resume"},
          {"embed", "embed {0}/trained {0}/data -o {1}" + small, "z.npy", {""}, " --overwrite"},
          {"convert",
           "data convert {0}/data -o {1}" + small,
           "copy",
           {"neighbors.npy", "features.npy", "dataset.json", "checksums.json"},
           " --overwrite",
           false}};
}

class Faults : public testing::TestWithParam<Case> {
 protected:
  // Runs the command with its output in `folder`.
  Outcome run(const fs::path& folder, const std::string& fault, const std::string& more = {}) {
    const std::string environment =
        fault.empty() ? std::string()
                      : fmt::format("{} {} LD_PRELOAD={}", GetParam().core ? "GS_FAULT_CORE=1" : "",
                                    fault, kLibrary);
    const std::string words = fmt::format(fmt::runtime(GetParam().words), base_.path().string(),
                                          (folder / GetParam().output).string());
    return run_program(words + more, environment);
  }

  void SetUp() override {
    const std::string base = base_.path().string();
    ASSERT_EQ(
        run_program("data generate --nodes 40 --features 3 --classes 2 --degree 4 --quiet -o " +
                    base + "/data")
            .exit_code,
        0);
    if (GetParam().name == "embed") {
      ASSERT_EQ(
          run_program("train " + base + "/data --dim 4 --quiet -o " + base + "/trained").exit_code,
          0);
    }
    ASSERT_EQ(run(whole_.path(), "").exit_code, 0);
    const fs::path counts = base_ / "counts";
    const TempFolder folder;
    ASSERT_EQ(run(folder.path(), "GS_FAULT_COUNTS=" + counts.string()).exit_code, 0);
    std::istringstream lines(read_text(counts));
    std::string kind;
    for (int64_t number = 0; lines >> kind >> number;) counts_[kind] = number;
  }

  std::string bytes_of(const fs::path& folder, const std::string& file) {
    const fs::path output = folder / GetParam().output;
    return read_text(file.empty() ? output : output / file);
  }

  void expect_whole(const fs::path& folder, const std::string& fault) {
    for (const std::string& file : GetParam().files)
      EXPECT_EQ(bytes_of(folder, file), bytes_of(whole_.path(), file)) << fault << ": " << file;
    const fs::path output = folder / GetParam().output;
    if (fs::is_directory(output)) {
      const Outcome verified = run_program("verify " + output.string());
      EXPECT_EQ(verified.exit_code, 0) << fault << ": " << verified.err;
    }
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos)
          << fault << " left " << entry.path();
  }

  // One run with a fault, and one that completes its work.
  void expect_survives(const std::string& kind, int64_t number) {
    const std::string fault = fmt::format("{}:{}", kind, number);
    const TempFolder folder;
    const Outcome failed = run(folder.path(), "GS_FAULT=" + fault);
    ++runs_;
    ASSERT_TRUE(failed.exit_code == 0 || failed.exit_code == 3)
        << fault << " ends with " << failed.exit_code << ": " << failed.err;
    if (failed.exit_code == 0) return expect_whole(folder.path(), fault);
    ++errors_;
    EXPECT_THAT(failed.err, testing::HasSubstr("error: ")) << fault;
    EXPECT_THAT(failed.err, testing::HasSubstr("hint: ")) << fault;
    const bool there = fs::exists(folder / GetParam().output);
    const Outcome again = run(folder.path(), "", there ? GetParam().again : "");
    ASSERT_EQ(again.exit_code, 0) << fault << ", then " << again.err;
    expect_whole(folder.path(), fault);
  }

  // About `most` calls of each kind, evenly spaced.
  void sweep(const std::vector<std::string>& kinds, int64_t most) {
    for (const std::string& kind : kinds) {
      const int64_t count = counts_[kind], tries = std::min(count, most);
      for (int64_t i = 0; i < tries; ++i) expect_survives(kind, 1 + i * count / tries);
    }
    fmt::print("{}: {} runs with a fault, {} of them ended with an error\n", GetParam().name, runs_,
               errors_);
  }

  const TempFolder base_, whole_;
  std::map<std::string, int64_t> counts_;
  int runs_ = 0, errors_ = 0;
};

const std::vector<std::string> kFileOperations{"open", "write", "fsync",    "rename",
                                               "mmap", "mkdir", "truncate", "unlink"};

TEST_P(Faults, ASampleLosesNothing) { sweep({"write", "fsync", "rename", "malloc"}, 1); }

TEST_P(Faults, SlowEveryFileOperationLosesNothing) { sweep(kFileOperations, INT64_MAX); }

// GS_ALLOCATIONS: how many to try.
TEST_P(Faults, SlowAllocationsLoseNothing) {
  const char* wanted = std::getenv("GS_ALLOCATIONS");
  sweep({"malloc"}, wanted ? std::atol(wanted) : 100);
}

INSTANTIATE_TEST_SUITE_P(, Faults, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gs::test
