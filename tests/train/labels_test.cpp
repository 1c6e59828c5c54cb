// Trainings of the methods that learn from labels: one a split, in one run folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <set>

#include "dataset/splits.h"
#include "method/run_folder.h"
#include "support/labelled.h"
#include "train/trainer.h"

namespace gs {
namespace {

using test::labelled_call;
using test::labelled_graph;
using test::read_text;
using test::TempFolder;

constexpr const char* kMethods[] = {"gcn", "graphsage", "gat", "clustergcn", "graphsaint", "pprgo"};

// The bytes that a training leaves, times aside.
std::vector<std::string> results(const fs::path& run) {
  std::vector<std::string> out{read_text(run / "embeddings.npy")};
  for (size_t s = 0; s < 3; ++s) out.push_back(read_text(split_model_file(run, s)));
  return out;
}

class Stopper final : public Progress {
 public:
  explicit Stopper(int64_t steps) : left_(steps) {}
  void start(std::string_view task, int64_t, std::string_view) override {
    training_ = task == "training";
  }
  void advance(int64_t units) override {
    if (training_ && (left_ -= units) <= 0) stop = true;
  }
  void note(std::string_view) override {}
  void finish() override {}
  void say(std::string_view) override {}

  std::atomic<bool> stop = false;

 private:
  int64_t left_;
  bool training_ = false;
};

std::string error_of(ErrorKind kind, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return std::string(error.what()) + " " + error.hint();
  }
  ADD_FAILURE() << "no error";
  return {};
}

class Labelled : public testing::TestWithParam<const char*> {};

TEST_P(Labelled, EverySplitIsATrainingOfItsOwn) {
  const TempFolder folder;
  train(labelled_graph(), labelled_call(GetParam(), folder / "run", 4));
  const auto bytes = results(folder / "run");
  EXPECT_EQ(std::set(bytes.begin(), bytes.end()).size(), 4u);
}

TEST_P(Labelled, StoppedOnItsSecondSplitAndResumedGivesTheSameBytes) {
  const TempFolder folder;
  const Dataset data = labelled_graph();
  train(data, labelled_call(GetParam(), folder / "whole", 4));
  TrainCall call = labelled_call(GetParam(), folder / "parts", 4);
  const std::string first = read_text(folder / "whole/metrics.jsonl");
  const auto line = nlohmann::json::parse(first.substr(0, first.find('\n')));
  Stopper stopper(6 * line.value("batches", 1));  // half of three times four epochs
  call.stop = &stopper.stop;
  EXPECT_THAT(error_of(ErrorKind::interrupted, [&] { train(data, call, stopper); }),
              testing::HasSubstr("split 2 of 3"));
  call.stop = nullptr, call.resume = true;
  train(data, call);
  EXPECT_EQ(results(folder / "whole"), results(folder / "parts"));
}

TEST_P(Labelled, LabelsOutsideTrainingAndValidationChangeNothing) {
  const TempFolder folder;
  Dataset data = labelled_graph();
  data.splits = make_splits(data, "random:20/20/60", 3, 1);
  TrainCall first = labelled_call(GetParam(), folder / "a", 4);
  first.options.train.splits = "own";
  train(data, first);
  std::vector<int32_t> labels(data.labels.single.begin(), data.labels.single.end());
  std::vector<bool> read(labels.size());
  for (const Split& split : data.splits)
    for (const auto* part : {&split.train, &split.val})
      for (const int32_t v : *part) read[static_cast<size_t>(v)] = true;
  int changed = 0;
  for (size_t v = 0; v < labels.size(); ++v)
    if (!read[v]) labels[v] = (labels[v] + 1) % 3, ++changed;
  ASSERT_GT(changed, 10);
  data.labels.single = labels;
  TrainCall second = first;
  second.run = folder / "b";
  train(data, second);
  EXPECT_EQ(results(folder / "a")[0], results(folder / "b")[0]);
}

TEST_P(Labelled, LearnsManyClassesAtOnce) {
  const TempFolder folder;
  Dataset data = labelled_graph();
  data.labels = test::multilabel_of(data.labels);
  const TrainResult result = train(data, labelled_call(GetParam(), folder / "run", 20));
  ASSERT_TRUE(result.last.validation);
  EXPECT_GT(*result.last.validation, 55) << "ROC-AUC; chance is 50";
}

TEST_P(Labelled, PredictsBetterThanChance) {
  const TempFolder folder;
  const TrainResult result = train(labelled_graph(), labelled_call(GetParam(), folder / "run", 30));
  EXPECT_GT(*result.last.validation, 60) << "chance is 33";
}

TEST_P(Labelled, DataWithoutLabelsIsAClearError) {
  const TempFolder folder;
  Dataset data = labelled_graph();
  data.labels = {};
  EXPECT_THAT(
      error_of(ErrorKind::data, [&] { train(data, labelled_call(GetParam(), folder / "run", 1)); }),
      testing::AllOf(testing::HasSubstr("has no labels"), testing::HasSubstr(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Of, Labelled, testing::ValuesIn(kMethods),
                         [](const auto& info) { return std::string(info.param); });

TEST(LabelledLoaders, ThoseThatDoNotFitAreRefusedWithThoseThatDo) {
  const TempFolder folder;
  const auto refused = [&](const char* method, LoaderKind loader) {
    TrainCall call = labelled_call(method, folder / "run", 1);
    call.options.loader.loader = loader;
    return error_of(ErrorKind::usage, [&] { train(labelled_graph(), call); });
  };
  EXPECT_THAT(refused("pprgo", LoaderKind::neighbor), testing::HasSubstr("use one of: full"));
  EXPECT_THAT(refused("clustergcn", LoaderKind::full), testing::HasSubstr("use one of: cluster"));
  EXPECT_THAT(refused("graphsaint", LoaderKind::cluster), testing::HasSubstr("use one of: saint"));
  EXPECT_THAT(refused("gat", LoaderKind::saint),
              testing::HasSubstr("use one of: full, neighbor, cluster"));
}

TEST(LabelledLoaders, EveryOneThatFitsTrains) {
  const Dataset data = labelled_graph();
  for (const char* name : kMethods)
    for (const LoaderKind loader : method_info(name).loaders) {
      const TempFolder folder;
      TrainCall call = labelled_call(name, folder / "run", 12);
      call.options.loader.loader = loader;
      call.options.train.runs = 1;
      EXPECT_GT(*train(data, call).last.validation, 45) << name << " " << static_cast<int>(loader);
    }
}

}  // namespace
}  // namespace gs
