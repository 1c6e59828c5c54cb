// Training on batches: every loader, interrupted and resumed, and the memory plan.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "dataset/generate/generate.h"
#include "method/method.h"
#include "nn/expected_shapes.h"
#include "options/loaders.h"
#include "options/methods.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/training.h"
#include "train/trainer.h"

namespace gs {
namespace {

using test::metrics;
using test::read_text;
using test::small_graph;
using test::StopAfter;
using test::TempFolder;

TrainRequest call_for(const fs::path& run, std::string kind, int64_t epochs) {
  TrainRequest call;
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

class Loaders : public testing::TestWithParam<std::string> {};

TEST_P(Loaders, TheLossFallsAndEveryNodeHasAnEmbedding) {
  const TempFolder folder;
  const Dataset data = small_graph(300);
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
  const Dataset data = small_graph(300);
  train(data, call_for(folder / "whole", GetParam(), 4));
  for (const int64_t batches : {1, 3, 7}) {
    StopAfter progress(batches);
    TrainRequest call = call_for(folder / "parts", GetParam(), 4);
    call.stop = &progress.stop;
    call.overwrite = true;
    try {
      train(data, call, progress);
      ADD_FAILURE() << "was not stopped";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::interrupted);
    }
    TrainRequest rest = call_for(folder / "parts", GetParam(), 4);
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
  const Dataset data = small_graph(300);
  std::vector<std::string> bytes;
  for (const int64_t workers : {0, 1, 3}) {
    TrainRequest call = call_for(folder / "run", GetParam(), 2);
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
  TrainRequest call = call_for(folder / "run", GetParam(), 2);
  call.options.model.encoder = "sage";
  call.options.model.mode = AugmentMode::post;
  call.options.loss.constraint = Constraint::columns;
  EXPECT_EQ(train(small_graph(300), call).epochs, 2);
}

TEST_P(Loaders, ALossOnListedNodesIsAnotherThanOnAll) {
  const TempFolder folder;
  const Dataset data = small_graph(300);
  std::string list;
  for (int v = 0; v < 300; v += 7) list += std::to_string(v) + "\n";
  test::write_text(folder / "targets.txt", list);
  TrainRequest call = call_for(folder / "run", GetParam(), 2);
  train(data, call);
  const std::string all = read_text(folder / "run/embeddings.npy");
  call.options.loader.target_nodes = folder / "targets.txt";
  call.overwrite = true;
  train(data, call);
  EXPECT_NE(read_text(folder / "run/embeddings.npy"), all);
  if (GetParam() == "neighbor") {  // 43 target nodes: one batch of 64
    EXPECT_FALSE(metrics(folder / "run")[0].contains("batches"));
  }
}

TEST(TargetNodes, ARunIsNotResumedOnAnotherList) {
  const TempFolder folder;
  test::write_text(folder / "targets.txt", "1\n5\n9\n");
  TrainRequest call = call_for(folder / "run", "neighbor", 1);
  call.options.loader.target_nodes = folder / "targets.txt";
  train(small_graph(300), call);
  call.options.train.epochs = 2;
  call.resume = true;
  test::write_text(folder / "targets.txt", "1\n5\n8\n");
  EXPECT_THROW(train(small_graph(300), call), Error);
  test::write_text(folder / "targets.txt", "1\n5\n9\n");
  EXPECT_EQ(train(small_graph(300), call).epochs, 2);
}

// Every row of the table but the whole graph.
std::vector<std::string> sampled_loaders() {
  std::vector<std::string> out;
  for_each_loader([&](const LoaderInfo& row) { out.emplace_back(row.name); });
  return out;
}

INSTANTIATE_TEST_SUITE_P(, Loaders, testing::ValuesIn(sampled_loaders()),
                         [](const auto& info) { return info.param; });

TEST(Plan, AutoSamplesWhereTheLossIsOnSomeNodesOnly) {
  const TempFolder folder;
  TrainRequest call = call_for(folder / "run", "auto", 1);
  call.options.loader.target_nodes = "train";
  EXPECT_EQ(train(small_graph(300), call).plan.loader, "neighbor");
}

TEST(Plan, AutoTakesTheWholeGraphWhereItFitsAndSamplesElsewhere) {
  const Dataset data = small_graph(300);
  RunOptions options;
  options.loader.memory = 10000;
  EXPECT_EQ(make_plan(data, options, "auto", "x").loader, "full");
  GenerateOptions large;
  large.nodes = 200'000, large.features = 8, large.degree = 4, large.classes = 0;
  const Dataset many = generate(large);
  options.loader.memory = 600;
  const Plan plan = make_plan(many, options, "auto", "x");
  EXPECT_EQ(plan.loader, "neighbor");
  EXPECT_LE(plan.total_mib, 600);
  EXPECT_THAT(plan.text(), testing::HasSubstr("200000 nodes"));
}

TEST(Plan, CountsTheParametersOfEveryMethodAsTheyAreMade) {
  const Dataset data = small_graph(60);
  for (const MethodInfo& row : methods()) {
    RunOptions options = default_options(row);
    if (options.model.layers == 0) options.model.layers = 2;
    options.model.skip = options.model.skip == Skip::automatic ? Skip::none : options.model.skip;
    const auto made = [&] {
      return make_method({data.features.width(), data.labels.task, data.labels.classes, options,
                          Device{}, Random(0)});
    };
    const auto real = made()->parameters().all();
    const ShapesOnly shapes;
    const auto counted = made()->parameters().all();
    ASSERT_EQ(counted.size(), real.size()) << row.name;
    for (size_t i = 0; i < real.size(); ++i) {
      EXPECT_TRUE(counted[i].tensor.is_meta()) << row.name;
      EXPECT_EQ(counted[i].tensor.sizes(), real[i].tensor.sizes()) << row.name;
    }
  }
}

TEST(Plan, WideFeaturesNeedWeightsGradientsAndMoments) {
  constexpr int64_t kWide = 600'000;
  Dataset data = small_graph(30);
  std::vector<int64_t> offsets(31);
  data.features = {SparseMatrix{30, kWide, std::move(offsets), std::vector<int32_t>(), {}}};
  RunOptions options;
  options.model.layers = 1, options.model.skip = Skip::none;
  options.loader.memory = 500;
  const std::string line =
      test::error_of(ErrorKind::data, [&] { make_plan(data, options, "full", "x"); });
  EXPECT_THAT(line, testing::HasSubstr("MiB"));
  options.loader.memory = 100'000;
  const double heads = options.model.mode == AugmentMode::pre ? 2 : 1;
  const double weights = heads * kWide * static_cast<double>(options.model.aug_dim);
  EXPECT_GT(make_plan(data, options, "full", "x").total_mib, 16 * weights / (1 << 20));
}

TEST(Plan, TheNaiveConstraintNeedsMatricesOfAllPairs) {
  GenerateOptions many;
  many.nodes = 20'000, many.features = 8, many.degree = 4, many.classes = 0;
  const Dataset data = generate(many);
  RunOptions options;
  options.loader.memory = 100'000;
  const double usual = make_plan(data, options, "full", "x").total_mib;
  options.loss.constraint = Constraint::naive;
  const double naive = make_plan(data, options, "full", "x").total_mib;
  EXPECT_NEAR(naive - usual, 4 * 4 * 20'000.0 * 20'000.0 / (1 << 20), 1);
}

TEST(Plan, WhatDoesNotFitIsRefusedWithAHint) {
  const Dataset data = small_graph(300);
  RunOptions options;
  options.loader.memory = 1;
  try {
    make_plan(data, options, "full", "sbm");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(), testing::HasSubstr("MiB"));
    EXPECT_THAT(error.hint(), testing::HasSubstr("--memory"));
  }
}

}  // namespace
}  // namespace gs
