// Training on batches: every loader, interrupted and resumed, and the plan that is made first.
#include <gmock/gmock.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dataset/generate.h"
#include "support/files.h"
#include "train/trainer.h"

namespace gs {
namespace {

using test::read_text;
using test::TempFolder;

Dataset small_graph() {
  GenerateOptions options;
  options.nodes = 300, options.classes = 3, options.features = 12, options.seed = 5;
  return generate(options);
}

TrainCall call_for(const fs::path& run, LoaderKind kind, int64_t epochs) {
  TrainCall call;
  call.data = "sbm";
  call.run = run;
  call.options.train.epochs = epochs;
  call.options.train.lr = 0.01;
  call.options.model.aug_dim = 10, call.options.model.dim = 6;
  LoaderOptions& l = call.options.loader;
  l.loader = kind;
  l.batch_size = 64, l.fanouts = {4, 3};
  l.parts = 10, l.parts_per_batch = 2;
  l.roots = 20;
  return call;
}

std::vector<nlohmann::json> metrics(const fs::path& run) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(read_text(run / "metrics.jsonl"));
  for (std::string line; std::getline(text, line);) {
    lines.push_back(nlohmann::json::parse(line));
    for (const char* varies : {"seconds", "seconds_of", "peak_mib"}) lines.back().erase(varies);
  }
  return lines;
}

// Asks for a stop after so many batches.
class StopAfter final : public Progress {
 public:
  explicit StopAfter(int64_t batches) : left_(batches) {}
  void start(std::string_view task, int64_t, std::string_view) override {
    training_ = task == "training";
  }
  void advance(int64_t units) override {
    if (training_ && (left_ -= units) <= 0) stop = true;
  }
  void note(std::string_view) override {}
  void finish() override {}
  void say(std::string_view line) override { said += line; }

  std::atomic<bool> stop = false;
  std::string said;

 private:
  int64_t left_;
  bool training_ = false;
};

class Loaders : public testing::TestWithParam<LoaderKind> {};

TEST_P(Loaders, TheLossFallsAndEveryNodeHasAnEmbedding) {
  const TempFolder folder;
  const Dataset data = small_graph();
  const TrainResult result = train(data, call_for(folder / "run", GetParam(), 15));
  EXPECT_EQ(result.plan.loader, GetParam());
  const auto lines = metrics(folder / "run");
  ASSERT_EQ(lines.size(), 15u);
  EXPECT_GT(lines[0]["batches"].get<int64_t>(), 1);
  EXPECT_LT(lines[14]["loss"]["total"].get<double>(),
            0.9 * lines[0]["loss"]["total"].get<double>());
  EXPECT_TRUE(fs::exists(folder / "run/embeddings.npy"));
}

TEST_P(Loaders, StoppedWithinAnEpochAndResumedGivesTheSameBytes) {
  const TempFolder folder;
  const Dataset data = small_graph();
  train(data, call_for(folder / "whole", GetParam(), 4));
  for (const int64_t batches : {1, 3, 7}) {
    StopAfter progress(batches);
    TrainCall call = call_for(folder / "parts", GetParam(), 4);
    call.stop = &progress.stop;
    call.overwrite = true;
    try {
      train(data, call, progress);
      ADD_FAILURE() << "was not stopped";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::interrupted);
    }
    TrainCall rest = call_for(folder / "parts", GetParam(), 4);
    rest.resume = true;
    rest.options.loader.workers = 2;
    train(data, rest);
    EXPECT_EQ(read_text(folder / "whole/embeddings.npy"),
              read_text(folder / "parts/embeddings.npy"));
    EXPECT_EQ(metrics(folder / "whole"), metrics(folder / "parts"));
  }
}

TEST_P(Loaders, ThreadsThatSampleChangeNothing) {
  const TempFolder folder;
  const Dataset data = small_graph();
  std::vector<std::string> bytes;
  for (const int64_t workers : {0, 1, 3}) {
    TrainCall call = call_for(folder / "run", GetParam(), 2);
    call.overwrite = true;
    call.options.loader.workers = workers;
    train(data, call);
    bytes.push_back(read_text(folder / "run/embeddings.npy"));
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(bytes[0], bytes[2]);
}

TEST_P(Loaders, SageEncodersAndPostModeTrainToo) {
  const TempFolder folder;
  TrainCall call = call_for(folder / "run", GetParam(), 2);
  call.options.model.encoder = Convolution::sage;
  call.options.model.mode = AugmentMode::post;
  call.options.loss.constraint = Constraint::columns;
  EXPECT_EQ(train(small_graph(), call).epochs, 2);
}

TEST_P(Loaders, ALossOnListedNodesIsAnotherThanOnAll) {
  const TempFolder folder;
  const Dataset data = small_graph();
  std::string list;
  for (int v = 0; v < 300; v += 7) list += std::to_string(v) + "\n";
  test::write_text(folder / "seeds.txt", list);
  TrainCall call = call_for(folder / "run", GetParam(), 2);
  train(data, call);
  const std::string all = read_text(folder / "run/embeddings.npy");
  call.options.loader.seeds = folder / "seeds.txt";
  call.overwrite = true;
  train(data, call);
  EXPECT_NE(read_text(folder / "run/embeddings.npy"), all);
  if (GetParam() == LoaderKind::neighbor) {  // 43 seeds: one batch of 64
    EXPECT_FALSE(metrics(folder / "run")[0].contains("batches"));
  }
}

TEST(Seeds, ARunIsNotResumedOnAnotherList) {
  const TempFolder folder;
  test::write_text(folder / "seeds.txt", "1\n5\n9\n");
  TrainCall call = call_for(folder / "run", LoaderKind::neighbor, 1);
  call.options.loader.seeds = folder / "seeds.txt";
  train(small_graph(), call);
  call.options.train.epochs = 2;
  call.resume = true;
  test::write_text(folder / "seeds.txt", "1\n5\n8\n");
  EXPECT_THROW(train(small_graph(), call), Error);
  test::write_text(folder / "seeds.txt", "1\n5\n9\n");
  EXPECT_EQ(train(small_graph(), call).epochs, 2);
}

INSTANTIATE_TEST_SUITE_P(
    , Loaders, testing::Values(LoaderKind::neighbor, LoaderKind::cluster, LoaderKind::saint),
    [](const auto& info) { return std::string(name_of(names_of(LoaderKind{}), info.param)); });

TEST(Plan, AutoSamplesWhereTheLossIsOnSomeNodesOnly) {
  const TempFolder folder;
  TrainCall call = call_for(folder / "run", LoaderKind::automatic, 1);
  call.options.loader.seeds = "train";
  EXPECT_EQ(train(small_graph(), call).plan.loader, LoaderKind::neighbor);
}

TEST(Plan, AutoTakesTheWholeGraphWhereItFitsAndSamplesElsewhere) {
  const Dataset data = small_graph();
  RunOptions options;
  options.loader.memory = 10000;
  EXPECT_EQ(make_plan(data, options, LoaderKind::automatic, "x").loader, LoaderKind::full);
  GenerateOptions large;
  large.nodes = 200'000, large.features = 8, large.degree = 4, large.classes = 0;
  const Dataset many = generate(large);
  options.loader.memory = 600;
  const Plan plan = make_plan(many, options, LoaderKind::automatic, "x");
  EXPECT_EQ(plan.loader, LoaderKind::neighbor);
  EXPECT_LE(plan.total_mib, 600);
  EXPECT_THAT(plan.text(), testing::HasSubstr("200000 nodes"));
}

TEST(Plan, TheNaiveConstraintNeedsMatricesOfAllPairs) {
  GenerateOptions many;
  many.nodes = 20'000, many.features = 8, many.degree = 4, many.classes = 0;
  const Dataset data = generate(many);
  RunOptions options;
  options.loader.memory = 100'000;
  const double usual = make_plan(data, options, LoaderKind::full, "x").total_mib;
  options.loss.constraint = Constraint::naive;
  const double naive = make_plan(data, options, LoaderKind::full, "x").total_mib;
  EXPECT_NEAR(naive - usual, 4 * 4 * 20'000.0 * 20'000.0 / (1 << 20), 1);
}

TEST(Plan, WhatDoesNotFitIsRefusedWithAHint) {
  const Dataset data = small_graph();
  RunOptions options;
  options.loader.memory = 1;
  try {
    make_plan(data, options, LoaderKind::full, "sbm");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), testing::HasSubstr("MiB"));
    EXPECT_THAT(error.hint(), testing::HasSubstr("--memory"));
  }
}

}  // namespace
}  // namespace gs
