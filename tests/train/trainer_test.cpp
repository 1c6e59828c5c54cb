#include "train/trainer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/npy.h"
#include "base/safetensors.h"
#include "command/train.h"
#include "dataset/generate/generate.h"
#include "method/graphsurgeon.h"
#include "run/embed.h"
#include "run/lock.h"
#include "run/model.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/topical.h"
#include "support/training.h"

namespace gs {
namespace {

using test::error_of;
using test::metrics;
using test::read_text;
using test::small_graph;
using test::TempFolder;

TrainRequest call_for(const fs::path& run, int64_t epochs) {
  TrainRequest call;
  call.data = "sbm";
  call.run = run;
  call.options.train.epochs = epochs;
  call.options.train.lr = 0.01;
  call.options.model.aug_dim = 10;
  call.options.model.dim = 6;
  return call;
}

TEST(Trainer, LeavesACompleteRunFolder) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  const TrainResult result = train(data, call_for(folder / "run", 5));
  EXPECT_EQ(result.epochs, 5);
  for (const char* name : {"options.json", "metrics.jsonl", "model.safetensors",
                           "state.safetensors", "embeddings.npy"})
    EXPECT_TRUE(fs::exists(folder / "run" / name)) << name;
  const NpyArray z = load_npy(folder / "run/embeddings.npy");
  EXPECT_THAT(z.shape, testing::ElementsAre(120, 12));
  const auto lines = metrics(folder / "run");
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[4]["epoch"], 5);
  EXPECT_NEAR(
      lines[0]["loss"]["total"].get<double>(),
      lines[0]["loss"]["similarity"].get<double>() + lines[0]["loss"]["constraint"].get<double>(),
      1e-2);
}

TEST(Trainer, TheLossFalls) {
  const TempFolder folder;
  train(small_graph(120), call_for(folder / "run", 40));
  const auto lines = metrics(folder / "run");
  EXPECT_LT(lines[39]["loss"]["total"].get<double>(),
            0.9 * lines[0]["loss"]["total"].get<double>());
}

TEST(Trainer, SameSeedSameBytes) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  train(data, call_for(folder / "a", 6));
  train(data, call_for(folder / "b", 6));
  EXPECT_EQ(read_text(folder / "a/embeddings.npy"), read_text(folder / "b/embeddings.npy"));
  TrainRequest other = call_for(folder / "c", 6);
  other.options.train.seed = 1;
  train(data, other);
  EXPECT_NE(read_text(folder / "a/embeddings.npy"), read_text(folder / "c/embeddings.npy"));
}

TEST(Trainer, ResumedEqualsUninterruptedBitForBit) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  for (const bool batch_norm : {false, true}) {
    const auto with_norm = [&](TrainRequest call) {
      if (batch_norm) call.options.model.norm = NormKind::batch;
      call.overwrite = true;
      return call;
    };
    train(data, with_norm(call_for(folder / "whole", 15)));
    train(data, with_norm(call_for(folder / "parts", 6)));
    TrainRequest rest = with_norm(call_for(folder / "parts", 15));
    rest.overwrite = false, rest.resume = true;
    train(data, rest);
    EXPECT_EQ(read_text(folder / "whole/embeddings.npy"),
              read_text(folder / "parts/embeddings.npy"));
    EXPECT_EQ(metrics(folder / "whole"), metrics(folder / "parts"));
  }
}

TEST(Trainer, ResumeNeedsOnlyTheState) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  train(data, call_for(folder / "whole", 9));
  train(data, call_for(folder / "parts", 4));
  for (const char* name : {"options.json", "metrics.jsonl", "model.safetensors", "embeddings.npy"})
    fs::remove(folder / "parts" / name);
  TrainRequest rest = call_for(folder / "parts", 9);
  rest.resume = true;
  train(data, rest);
  EXPECT_EQ(read_text(folder / "whole/embeddings.npy"), read_text(folder / "parts/embeddings.npy"));
}

TEST(Trainer, ResumeCutsMetricsBackToTheCheckpoint) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  train(data, call_for(folder / "run", 4));
  std::ofstream(folder / "run/metrics.jsonl", std::ios::app) << "{\"epoch\": 5, \"half a li";
  TrainRequest rest = call_for(folder / "run", 6);
  rest.resume = true;
  train(data, rest);
  EXPECT_EQ(metrics(folder / "run").size(), 6u);
}

TEST(Trainer, OnlyEpochsMayChangeOnResume) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  train(data, call_for(folder / "run", 2));
  TrainRequest rest = call_for(folder / "run", 4);
  rest.resume = true;
  rest.options.loss.gamma = 3;
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { train(data, rest); }), testing::HasSubstr("gamma"));
}

TEST(Trainer, AnExistingRunIsRefused) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  train(data, call_for(folder / "run", 2));
  const std::string before = read_text(folder / "run/embeddings.npy");
  error_of(ErrorKind::data, [&] { train(data, call_for(folder / "run", 3)); });
  EXPECT_EQ(read_text(folder / "run/embeddings.npy"), before);
}

TEST(Trainer, AStopSignalCheckpointsAndIsResumable) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  const std::atomic<bool> stop = true;
  TrainRequest call = call_for(folder / "run", 10);
  call.stop = &stop;
  error_of(ErrorKind::interrupted, [&] { train(data, call); });
  TrainRequest rest = call_for(folder / "run", 10);
  rest.resume = true;
  train(data, rest);
  train(data, call_for(folder / "whole", 10));
  EXPECT_EQ(read_text(folder / "whole/embeddings.npy"), read_text(folder / "run/embeddings.npy"));
}

TEST(Trainer, ANonFiniteRunStopsAndKeepsTheLastGoodCheckpoint) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  TrainRequest call = call_for(folder / "run", 50);
  call.options.train.lr = 1e30;
  call.options.train.checkpoint_every = 1;
  EXPECT_THAT(error_of(ErrorKind::data, [&] { train(data, call); }), testing::HasSubstr("epoch"));
  const TensorMap state = load_tensors(folder / "run/state.safetensors");
  EXPECT_FALSE(state.empty());
}

TEST(Trainer, ACollapsedRunStops) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  TrainRequest call = call_for(folder / "run", 400);
  call.options.loss.gamma = 0;
  call.options.model.mode = AugmentMode::pre;
  call.options.model.dropout = 0.5;
  call.options.train.lr = 0.05;
  call.options.train.rank_every = 5;
  EXPECT_THAT(error_of(ErrorKind::data, [&] { train(data, call); }),
              testing::HasSubstr("collapsed"));
}

TEST(Trainer, ReportsHowFarTheViewsAgree) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  for (const Combine rule : {Combine::concat, Combine::mean}) {
    TrainRequest call = call_for(folder / "run", 5);
    call.options.model.combine = rule;
    call.overwrite = true;
    const std::optional<double> found = train(data, call).view_agreement;
    const LoadedModel loaded = load_model(folder / "run", Device{});
    const auto& model = dynamic_cast<const GraphSurgeon&>(*loaded.model);
    const Views views = model.both_views(whole_graph(data, "gcn", Device{}));
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found,
                at::cosine_similarity(views.first(), views.second(), 1).mean().item<double>(),
                1e-5);
  }
  EXPECT_FALSE(train(data, call_for(folder / "untrained", 0)).view_agreement);
}

TEST(Trainer, WarnsOfViewsThatDoNotAgree) {
  TrainResult result;
  result.epochs = 5;
  result.view_agreement = 0.29;
  EXPECT_THAT(to_text(result),
              testing::HasSubstr("warning: the two views do not agree (mean cosine 0.29); try a "
                                 "smaller --gamma, or --method spectral\n"));
  EXPECT_EQ(to_json(result)["view_agreement"], 0.29);
  result.view_agreement = 0.31;
  EXPECT_THAT(to_text(result), testing::Not(testing::HasSubstr("warning")));
  result.view_agreement.reset();
  EXPECT_TRUE(to_json(result)["view_agreement"].is_null());
}

TEST(Trainer, WarmStartBeginsWithTheOtherRunsWeights) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  train(data, call_for(folder / "first", 5));
  TrainRequest call = call_for(folder / "second", 0);
  call.init = folder / "first";
  train(data, call);
  EXPECT_EQ(read_text(folder / "first/embeddings.npy"),
            read_text(folder / "second/embeddings.npy"));
}

TEST(Trainer, WarmStartKeepsTheShapeThatTheOtherRunChose) {
  const TempFolder folder;
  const Dataset alike = test::topical_graph(20, 0.8), unlike = test::topical_graph(20, 0.2);
  train(alike, call_for(folder / "first", 1));
  TrainRequest call = call_for(folder / "second", 1);
  call.init = folder / "first";
  train(unlike, call);  // would choose a linear skip by itself
  EXPECT_EQ(load_model(folder / "second", Device{}).info.options.model.skip, Skip::sum);
}

TEST(Trainer, ASolvedMethodHasNoWarmStart) {
  const TempFolder folder;
  TrainRequest call = call_for(folder / "run", 0);
  call.options.method.method = "spectral";
  call.init = folder / "first";
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { train(small_graph(120), call); }),
              testing::HasSubstr("spectral has no weights to start from"));
  EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST(Trainer, SelectionKeepsOneModelPerSplit) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  TrainRequest call = call_for(folder / "run", 6);
  call.options.train.select = Select::val;
  call.options.train.select_every = 2;
  call.options.train.splits = "random:20/20/60";
  call.options.train.num_splits = 3;
  train(data, call);
  for (int s = 0; s < 3; ++s)
    EXPECT_TRUE(fs::exists(folder / "run" / fmt::format("model-split-{}.safetensors", s)));
}

TEST(Trainer, DataWithoutFeaturesIsAClearError) {
  Dataset data = small_graph(120);
  data.features = {DenseMatrix{data.nodes(), 0, {}}};
  const TempFolder folder;
  EXPECT_THAT(error_of(ErrorKind::data, [&] { train(data, call_for(folder / "run", 1)); }),
              testing::HasSubstr("features"));
}

TEST(Trainer, OneTrainingAtATimeWritesToAFolder) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  train(data, call_for(folder / "run", 1));
  const std::string before = read_text(folder / "run/embeddings.npy");
  TrainRequest call = call_for(folder / "run", 2);
  call.overwrite = true;
  {
    const RunLock other(RunFolder(folder / "run"), [] {});
    EXPECT_THAT(error_of(ErrorKind::data, [&] { train(data, call); }),
                testing::HasSubstr("being written by another training"));
    EXPECT_EQ(read_text(folder / "run/embeddings.npy"), before);
  }
  train(data, call);
}

TEST(Trainer, OverwriteAndResumeKeepFilesThatAreNotOfARun) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  for (const char* name : {"options.json", "ids.txt", "scores.json"}) {
    const fs::path run = folder / name / "run";
    test::write_text(run / name, "somebody's");
    for (const bool resume : {false, true}) {
      TrainRequest call = call_for(run, 1);
      call.overwrite = !resume, call.resume = resume;
      EXPECT_THAT(error_of(ErrorKind::data, [&] { train(data, call); }),
                  testing::HasSubstr("is not replaced"));
      EXPECT_EQ(read_text(run / name), "somebody's");
    }
  }
}

TEST(Trainer, ResumeRefusesOtherDataOfTheSameSize) {
  const TempFolder folder;
  Dataset data = small_graph(120);
  train(data, call_for(folder / "run", 1));
  TrainRequest call = call_for(folder / "run", 2);
  call.resume = true;
  std::vector<float> values(data.features.dense_matrix().values.begin(),
                            data.features.dense_matrix().values.end());
  values[7] += 1;
  data.features = {DenseMatrix{120, data.features.width(), std::move(values)}};
  EXPECT_THAT(error_of(ErrorKind::data, [&] { train(data, call); }),
              testing::HasSubstr("other data of the same size"));
}

TEST(Trainer, ACheckpointWithImpossibleNumbersIsRefused) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  train(data, call_for(folder / "run", 1));
  const std::string good = read_text(folder / "run/state.safetensors");
  for (const auto& [name, value] : {std::pair{"metrics_bytes", "-1"},
                                    {"batch", "-9223372036854775808"},
                                    {"epoch", "1e99"},
                                    {"adam_steps", "-5"},
                                    {"split", "9999"}}) {
    SafeTensors state = load_safetensors(folder / "run/state.safetensors");
    auto json = nlohmann::json::parse(state.metadata["state"]);
    json[name] = nlohmann::json::parse(value);
    state.metadata["state"] = json.dump();
    save_safetensors(folder / "run/state.safetensors", state);
    TrainRequest call = call_for(folder / "run", 2);
    call.resume = true;
    error_of(ErrorKind::data, [&] { train(data, call); });
    test::write_text(folder / "run/state.safetensors", good);
  }
}

TEST(Trainer, AModelWhoseOptionsClaimAnotherSizeIsRefusedBeforeItIsMade) {
  const TempFolder folder;
  train(small_graph(120), call_for(folder / "run", 1));
  SafeTensors model = load_safetensors(folder / "run/model.safetensors");
  auto about = nlohmann::json::parse(model.metadata["graphsurgeon"]);
  about["features"] = 100'000'000;
  model.metadata["graphsurgeon"] = about.dump();
  save_safetensors(folder / "claims.safetensors", model);
  EXPECT_THAT(
      error_of(ErrorKind::data, [&] { load_model(folder / "claims.safetensors", Device{}); }),
      testing::HasSubstr("than its options say"));
}

TEST(Trainer, WeightsThatGiveNoFiniteEmbeddingsAreRefused) {
  const TempFolder folder;
  const Dataset data = small_graph(120);
  train(data, call_for(folder / "run", 1));
  for (const float value : {std::nanf(""), HUGE_VALF, 3e38f}) {
    TensorMap weights = load_tensors(folder / "run/model.safetensors");
    for (auto& [name, tensor] : weights) tensor = at::full_like(tensor, value);
    const RunInfo info = load_model(folder / "run", Device{}).info;
    save_model(folder / "bad.safetensors", weights, info);
    EXPECT_THAT(
        error_of(ErrorKind::data,
                 [&] { embed(load_model(folder / "bad.safetensors", Device{}), data, "x"); }),
        testing::HasSubstr(std::isfinite(value) ? "NaN or infinite" : "not finite"));
  }
}

}  // namespace
}  // namespace gs
