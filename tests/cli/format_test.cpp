// Run folders and config files of format 1, whose options had other names and whose splits another
// fingerprint, still open. tests/golden/format_1 was written by the last program of that format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using nlohmann::json;

constexpr const char* kData = "sbm:nodes=60,features=6,classes=2,seed=4";

constexpr size_t kNpyHeader = 128;

std::vector<float> floats_of(const std::string& npy) {
  std::vector<float> out((npy.size() - kNpyHeader) / sizeof(float));
  std::memcpy(out.data(), npy.data() + kNpyHeader, out.size() * sizeof(float));
  return out;
}

class FormatOne : public testing::Test {
 protected:
  FormatOne() {
    fs::copy(fs::path(GS_TEST_SOURCE_DIR) / "tests/golden/format_1", folder_ / "old",
             fs::copy_options::recursive);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  json options(const std::string& run) const {
    return json::parse(read_text(folder_ / run / "options.json"));
  }

  TempFolder folder_;
};

TEST_F(FormatOne, ARunEmbedsAsItDid) {
  const Outcome run =
      run_program("embed " + path("old/run") + " " + kData + " -o " + path("z.npy") + " --quiet");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string now = read_text(folder_ / "z.npy"),
                    then = read_text(folder_ / "old/run/embeddings.npy");
  EXPECT_EQ(now.substr(0, kNpyHeader), then.substr(0, kNpyHeader));
  // The stored run was trained on another processor, where BLAS rounds differently.
  EXPECT_THAT(floats_of(now), testing::Pointwise(testing::FloatNear(1e-5F), floats_of(then)));
}

TEST_F(FormatOne, ARunThatWasSelectedOnSplitsIsScoredOnThem) {
  const json before = json::parse(read_text(folder_ / "old/run/scores.json"));
  const Outcome run = run_program("eval " + path("old/run") + " " + kData +
                                  " --num-splits 2 --probe paper --json --quiet");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json now = json::parse(run.out);
  EXPECT_EQ(now.at("mean"), before.at("mean"));
  EXPECT_EQ(now.at("values"), before.at("runs"));
}

TEST_F(FormatOne, ARunIsResumedAndThenHasTodaysFormat) {
  const Outcome run = run_program(
      "train " + std::string(kData) + " -o " + path("old/run") +
      " --resume --dim 2 --aug-dim 3 --epochs 3 --loader neighbor --batch-size 16 "
      "--target-nodes train --num-splits 2 --select val --select-every 1 --seed 5 --json --quiet");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out).at("epochs"), 3);
  const json now = options("old/run");
  EXPECT_EQ(now.at("format"), 3);
  EXPECT_EQ(now.at("options").at("num-splits"), 2);
  EXPECT_EQ(now.at("options").at("target-nodes"), "train");
  EXPECT_FALSE(now.at("options").contains("runs"));
}

TEST_F(FormatOne, AConfigOrOptionsFileIsRead) {
  for (const std::string config : {"old/config.json", "old/run/options.json"}) {
    const Outcome run = run_program("train " + std::string(kData) + " -o " + path("new") +
                                    " --overwrite --config " + path(config) + " --quiet");
    ASSERT_EQ(run.exit_code, 0) << config << run.err;
    EXPECT_EQ(options("new").at("options").at("num-splits"), 2) << config;
    EXPECT_EQ(options("new").at("options").at("target-nodes"), "train") << config;
  }
}

TEST_F(FormatOne, ANewerFormatIsRefused) {
  fs::copy_file(folder_ / "old/run/model.safetensors", folder_ / "model.safetensors");
  std::string model = read_text(folder_ / "model.safetensors");
  const std::string before = R"(\"graphsurgeon\": \")";
  const size_t at = model.find(before);
  ASSERT_NE(at, std::string::npos);
  // The same length: the version gives way to a format that nobody knows yet.
  const size_t end = model.find(',', at);
  std::string format = R"(\"format\": 4)";
  format.resize(end - at, ' ');
  model.replace(at, end - at, format);
  write_text(folder_ / "model.safetensors", model);
  const Outcome run = run_program("embed " + path("model.safetensors") + " " + kData + " -o " +
                                  path("z.npy") + " --quiet");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, testing::HasSubstr("update graphsurgeon"));
}

TEST_F(FormatOne, AnOldFlagIsAnErrorThatNamesTheNewOne) {
  struct Row {
    const char *arguments, *now;
  };
  for (const Row& row : {Row{"train x -o y --seeds all", "--target-nodes"},
                         {"train x -o y --runs 3", "--num-splits"},
                         {"eval x y --seeds=3", "--encoders"},
                         {"eval x y --runs 3", "--num-splits or --repeats"}}) {
    const Outcome run = run_program(row.arguments);
    EXPECT_EQ(run.exit_code, 2) << row.arguments;
    EXPECT_THAT(run.err, testing::HasSubstr(std::string("is now ") + row.now));
  }
}

}  // namespace
}  // namespace gs::test
