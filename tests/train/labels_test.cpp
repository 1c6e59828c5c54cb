// Trainings of supervised methods: one per split, in one run folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "dataset/splits.h"
#include "run/folder.h"
#include "run/model.h"
#include "support/errors.h"
#include "support/labeled.h"
#include "support/training.h"
#include "train/trainer.h"

namespace gs {
namespace {

using test::error_of;
using test::labeled_call;
using test::labeled_graph;
using test::read_text;
using test::StopAfter;
using test::TempFolder;

constexpr const char* kMethods[] = {"gcn", "graphsage", "gat", "clustergcn", "graphsaint", "pprgo"};

// The bytes that a training writes, except for times.
std::vector<std::string> results(const fs::path& run) {
  std::vector<std::string> out{read_text(run / "embeddings.npy")};
  for (size_t s = 0; s < 3; ++s) out.push_back(read_text(RunFolder(run).split_model(s)));
  return out;
}

class Labeled : public testing::TestWithParam<const char*> {};

TEST_P(Labeled, EverySplitIsATrainingOfItsOwn) {
  const TempFolder folder;
  train(labeled_graph(), labeled_call(GetParam(), folder / "run", 4));
  const auto bytes = results(folder / "run");
  EXPECT_EQ(std::set(bytes.begin(), bytes.end()).size(), 4u);
}

TEST_P(Labeled, StoppedOnItsSecondSplitAndResumedGivesTheSameBytes) {
  const TempFolder folder;
  const Dataset data = labeled_graph();
  train(data, labeled_call(GetParam(), folder / "whole", 4));
  TrainRequest call = labeled_call(GetParam(), folder / "parts", 4);
  const std::string first = read_text(folder / "whole/metrics.jsonl");
  const auto line = nlohmann::json::parse(first.substr(0, first.find('\n')));
  StopAfter stopper(6 * line.value("batches", 1));  // half of three times four epochs
  call.stop = &stopper.stop;
  EXPECT_THAT(error_of(ErrorKind::interrupted, [&] { train(data, call, stopper); }),
              testing::HasSubstr("split 2 of 3"));
  call.stop = nullptr, call.resume = true;
  train(data, call);
  EXPECT_EQ(results(folder / "whole"), results(folder / "parts"));
}

TEST_P(Labeled, LabelsOutsideTrainingAndValidationChangeNothing) {
  const TempFolder folder;
  Dataset data = labeled_graph();
  data.splits = make_splits(data, "random:20/20/60", 3, 1);
  TrainRequest first = labeled_call(GetParam(), folder / "a", 4);
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
  TrainRequest second = first;
  second.run = folder / "b";
  train(data, second);
  EXPECT_EQ(results(folder / "a")[0], results(folder / "b")[0]);
}

TEST_P(Labeled, LearnsManyClassesAtOnce) {
  const TempFolder folder;
  Dataset data = labeled_graph();
  data.labels = test::multilabel_of(data.labels);
  const TrainResult result = train(data, labeled_call(GetParam(), folder / "run", 20));
  ASSERT_TRUE(result.last.validation);
  EXPECT_GT(*result.last.validation, 55) << "ROC-AUC; chance is 50";
}

TEST_P(Labeled, PredictsBetterThanChance) {
  const TempFolder folder;
  const TrainResult result = train(labeled_graph(), labeled_call(GetParam(), folder / "run", 30));
  EXPECT_GT(*result.last.validation, 60) << "chance is 33";
}

TEST_P(Labeled, DataWithoutLabelsIsAClearError) {
  const TempFolder folder;
  Dataset data = labeled_graph();
  data.labels = {};
  EXPECT_THAT(
      error_of(ErrorKind::data, [&] { train(data, labeled_call(GetParam(), folder / "run", 1)); }),
      testing::AllOf(testing::HasSubstr("has no labels"), testing::HasSubstr(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Of, Labeled, testing::ValuesIn(kMethods),
                         [](const auto& info) { return std::string(info.param); });

TEST(LabeledLoaders, ThoseThatDoNotFitAreRefusedWithThoseThatDo) {
  const TempFolder folder;
  const auto refused = [&](const char* method, std::string loader) {
    TrainRequest call = labeled_call(method, folder / "run", 1);
    call.options.loader.loader = loader;
    return error_of(ErrorKind::usage, [&] { train(labeled_graph(), call); });
  };
  EXPECT_THAT(refused("pprgo", "neighbor"), testing::HasSubstr("use one of: full"));
  EXPECT_THAT(refused("clustergcn", "full"), testing::HasSubstr("use one of: cluster"));
  EXPECT_THAT(refused("graphsaint", "cluster"), testing::HasSubstr("use one of: saint"));
  EXPECT_THAT(refused("gat", "saint"), testing::HasSubstr("use one of: full, neighbor, cluster"));
}

TEST(LabeledLoaders, EveryOneThatFitsTrains) {
  const Dataset data = labeled_graph();
  for (const char* name : kMethods)
    for (const LoaderInfo& row : loaders()) {
      const std::string_view loader = row.name;
      if (!method_info(name).loaders.allows(loader)) continue;
      const TempFolder folder;
      TrainRequest call = labeled_call(name, folder / "run", 12);
      call.options.loader.loader = loader;
      call.options.train.num_splits = 1;
      EXPECT_GT(*train(data, call).last.validation, 45) << name << " " << loader;
    }
}

}  // namespace
}  // namespace gs
