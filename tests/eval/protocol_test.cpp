// The linear protocol as `eval` runs it, on runs that the trainer made.
#include "eval/protocol.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/seeds.h"
#include "dataset/splits.h"
#include "method/inference.h"
#include "nn/place.h"
#include "support/files.h"
#include "train/trainer.h"

namespace gs {
namespace {

using test::TempFolder;
using testing::HasSubstr;

constexpr const char* kData = "sbm:nodes=150,classes=3,features=12,seed=5";

TrainCall train_call(const fs::path& run) {
  TrainCall call;
  call.data = kData;
  call.run = run;
  call.options.train.epochs = 8;
  call.options.train.lr = 0.03;
  call.options.model.aug_dim = 10;
  call.options.model.dim = 6;
  call.overwrite = true;
  return call;
}

// Three splits, an encoder for each.
TrainCall select_call(const fs::path& run) {
  TrainCall call = train_call(run);
  call.options.train.select = Select::val;
  call.options.train.select_every = 1;
  call.options.train.epochs = 30;  // enough for the splits to choose different ones
  call.options.train.splits = "random:10/20/70";
  call.options.train.runs = 3;
  return call;
}

EvalCall eval_call(const fs::path& input) {
  EvalCall call;
  call.input = input.string();
  call.data = kData;
  call.probe.reference = false;
  call.probe.probe_epochs = 40;
  call.probe.runs = 3;
  call.given = {"probe-epochs"};
  return call;
}

EvalResult evaluate_run(const EvalCall& call, Progress& progress = no_progress()) {
  SeedTrainer trainer(call, progress);
  return evaluate(call, progress,
                  [&](const RunInfo& info, const Dataset* scored, int64_t seed, int64_t splits) {
                    return trainer.train(info, scored, seed, splits);
                  });
}

std::vector<double> tests_of(const Score& score) {
  std::vector<double> values;
  for (const ProbeRun& run : score.runs) values.push_back(run.test);
  return values;
}

std::string error_of(ErrorKind kind, const EvalCall& call) {
  try {
    evaluate_run(call);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Selection, SplitKIsScoredWithEncoderK) {
  const TempFolder folder;
  const Dataset data = load_dataset(kData, {});
  train(data, select_call(folder / "run"));
  const EvalCall call = eval_call(folder / "run");
  const EvalResult result = evaluate_run(call);
  ASSERT_EQ(result.encoders.size(), 1u);
  const auto found = tests_of(result.encoders[0].score);
  const auto splits = make_splits(data, "random:10/20/70", 3, 0);
  const Place place = place_for("cpu");
  const Batch batch = whole_graph(data, select_call({}).options.model.encoder, place);
  // By hand: every encoder on every split. The diagonal is what eval must tell.
  double table[3][3];
  for (size_t k = 0; k < 3; ++k) {
    const LoadedModel kept = load_model(split_model_file(folder / "run", k), place);
    const at::Tensor z = kept.model->embed(batch);
    for (size_t s = 0; s < 3; ++s)
      table[k][s] = linear_probe(z, data.labels, {splits[s]}, call.probe, 0).runs[0].test;
  }
  ASSERT_EQ(found.size(), 3u);
  for (size_t k = 0; k < 3; ++k) EXPECT_EQ(found[k], table[k][k]) << k;
  bool told_apart = false;
  for (size_t k = 1; k < 3; ++k) told_apart |= table[0][k] != table[k][k];
  EXPECT_TRUE(told_apart) << "one encoder would score the same, so this test shows nothing";
}

TEST(Selection, EncodersOfOtherSplitsAreAnError) {
  const TempFolder folder;
  const fs::path run = folder / "run";
  train(load_dataset(kData, {}), select_call(run));
  fs::rename(split_model_file(run, 1), folder / "one");
  fs::rename(split_model_file(run, 2), split_model_file(run, 1));
  fs::rename(folder / "one", split_model_file(run, 2));
  EXPECT_THAT(error_of(ErrorKind::data, eval_call(run)), HasSubstr("not selected on split 1"));
}

TEST(Selection, OtherSplitsThanTheTrainingsAreAnError) {
  const TempFolder folder;
  train(load_dataset(kData, {}), select_call(folder / "run"));
  EvalCall call = eval_call(folder / "run");
  call.probe.splits = "random:5/15/80", call.probe.runs = 5, call.probe.split_seed = 4;
  for (const char* name : {"splits", "runs", "split-seed"}) {
    call.given = {name};
    EXPECT_THAT(error_of(ErrorKind::usage, call), HasSubstr(std::string("--") + name));
  }
  call.given = {};  // those were defaults: the training's splits are used
  EXPECT_EQ(evaluate_run(call).encoders[0].score.runs.size(), 3u);
  call.probe.splits = "random:10/20/70", call.probe.runs = 3, call.probe.split_seed = 0;
  call.given = {"splits", "runs", "split-seed"};  // the same as the training's
  EXPECT_EQ(evaluate_run(call).encoders[0].score.runs.size(), 3u);
}

TEST(Selection, AnotherGraphIsAnError) {
  const TempFolder folder;
  train(load_dataset(kData, {}), select_call(folder / "run"));
  EvalCall call = eval_call(folder / "run");
  for (const char* other : {"sbm:nodes=160,classes=3,features=12,seed=5",
                            "sbm:nodes=150,classes=3,features=12,seed=5,unlabelled=0.3"}) {
    call.data = other;
    EXPECT_THAT(error_of(ErrorKind::data, call), HasSubstr("selected on"));
  }
}

TEST(Selection, FewerSplitsLeaveNoOldEncodersBehind) {
  const TempFolder folder;
  const Dataset data = load_dataset(kData, {});
  train(data, select_call(folder / "run"));
  TrainCall two = select_call(folder / "run");
  two.options.train.runs = 2;
  train(data, two);
  EXPECT_FALSE(fs::exists(split_model_file(folder / "run", 2)));
  EXPECT_EQ(evaluate_run(eval_call(folder / "run")).encoders[0].score.runs.size(), 2u);
}

TEST(Selection, WithoutAnEpochTheFirstWeightsAreKept) {
  const TempFolder folder;
  TrainCall call = select_call(folder / "run");
  call.options.train.epochs = 0;
  train(load_dataset(kData, {}), call);
  EXPECT_EQ(evaluate_run(eval_call(folder / "run")).encoders[0].score.runs.size(), 3u);
}

TEST(Seeds, EachEncoderScoresLikeARunOfThatSeed) {
  const TempFolder folder;
  const Dataset data = load_dataset(kData, {});
  train(data, train_call(folder / "run"));
  TrainCall second = train_call(folder / "second");
  second.options.train.seed = 1;
  train(data, second);
  EvalCall call = eval_call(folder / "run");
  call.seeds = 3;
  const EvalResult result = evaluate_run(call);
  ASSERT_EQ(result.encoders.size(), 3u);
  for (int64_t e = 0; e < 3; ++e) EXPECT_EQ(result.encoders[e].seed, e);
  call.seeds = 1;
  EXPECT_EQ(tests_of(result.encoders[0].score), tests_of(evaluate_run(call).encoders[0].score));
  EXPECT_EQ(tests_of(result.encoders[1].score),
            tests_of(evaluate_run(eval_call(folder / "second")).encoders[0].score));
  EXPECT_NE(tests_of(result.encoders[1].score), tests_of(result.encoders[2].score));
}

TEST(Seeds, TellWhichEncoderIsInTraining) {
  struct Tasks final : Progress {
    void start(std::string_view task, int64_t, std::string_view) override {
      names.emplace_back(task);
    }
    void advance(int64_t) override {}
    void note(std::string_view) override {}
    void finish() override {}
    std::vector<std::string> names;
  } tasks;
  const TempFolder folder;
  train(load_dataset(kData, {}), train_call(folder / "run"));
  EvalCall call = eval_call(folder / "run");
  call.seeds = 3;
  evaluate_run(call, tasks);
  EXPECT_THAT(tasks.names,
              testing::IsSupersetOf({"encoder 2 of 3, training", "encoder 3 of 3, training"}));
}

TEST(Seeds, AnInterruptStopsThem) {
  const TempFolder folder;
  train(load_dataset(kData, {}), train_call(folder / "run"));
  EvalCall call = eval_call(folder / "run");
  const std::atomic<bool> stop = true;
  call.seeds = 3, call.stop = &stop;
  EXPECT_THAT(error_of(ErrorKind::interrupted, call), HasSubstr("encoder 2 of 3"));
}

TEST(Seeds, SelectOnTheRunsOwnSplits) {
  const TempFolder folder;
  train(load_dataset(kData, {}), select_call(folder / "run"));
  EvalCall call = eval_call(folder / "run");
  call.seeds = 2;
  EXPECT_EQ(evaluate_run(call).encoders.size(),
            2u);  // else encoder 1 is refused as of other splits
}

TEST(Seeds, TrainOnTheRunsDataWhenAnotherGraphIsScored) {
  const TempFolder folder;
  train(load_dataset(kData, {}), train_call(folder / "run"));
  EvalCall call = eval_call(folder / "run");
  call.data = "sbm:nodes=90,classes=3,features=12,seed=6";
  call.seeds = 2;
  const EvalResult result = evaluate_run(call);
  TrainCall second = train_call(folder / "second");
  second.options.train.seed = 1;
  train(load_dataset(kData, {}), second);
  call.input = (folder / "second").string(), call.seeds = 1;
  EXPECT_EQ(tests_of(result.encoders[1].score), tests_of(evaluate_run(call).encoders[0].score));
}

TEST(Seeds, NeedTheRunsData) {
  const TempFolder folder;
  TrainCall trained = train_call(folder / "run");
  trained.data = "gone/away";
  train(load_dataset(kData, {}), trained);
  EvalCall call = eval_call(folder / "run");
  EXPECT_NO_THROW(evaluate_run(call));
  call.seeds = 2;
  EXPECT_THAT(error_of(ErrorKind::data, call), HasSubstr("gone/away"));
}

Score score_of(std::vector<double> tests) {
  Score score;
  for (const double test : tests) score.runs.push_back({.test = test});
  return score;
}

TEST(Deviations, AreOverSplitsAndOverEncoders) {
  EvalResult result;
  result.encoders = {{0, score_of({80, 84})}, {1, score_of({88, 96})}};
  EXPECT_DOUBLE_EQ(result.mean(), 87);
  EXPECT_DOUBLE_EQ(result.deviation_within(), std::sqrt((4 + 16) / 2.0));
  EXPECT_DOUBLE_EQ(result.deviation_between(), 5);
  EXPECT_DOUBLE_EQ(10 + 25, (49 + 9 + 1 + 81) / 4.0) << "both make up the variance of all four";
}

TEST(Protocol, AnEvaluationFollowsTheRunUnlessTold) {
  const TempFolder folder;
  TrainCall trained = train_call(folder / "run");
  trained.options.protocol = Protocol::paper;
  train(load_dataset(kData, {}), trained);
  EvalCall call = eval_call(folder / "run");
  EXPECT_EQ(evaluate_run(call).probe_epochs, 40) << "given";
  call.given = {};
  EXPECT_EQ(evaluate_run(call).probe_epochs, 100) << "the run's protocol";
  EXPECT_EQ(evaluate_run(call).protocol, Protocol::paper);
  call.given = {"protocol"};
  EXPECT_EQ(evaluate_run(call).probe_epochs, 500) << "the flag's";
  call.input = (folder / "run/embeddings.npy").string();
  call.given = {};
  EXPECT_EQ(evaluate_run(call).probe_epochs, 500) << "the default";
  call.protocol = Protocol::paper;
  call.given = {"protocol"};
  EXPECT_EQ(evaluate_run(call).probe_epochs, 100) << "the flag's";
}

TEST(LoadLike, KeepsTheRunsTreatmentButForWhatIsGiven) {
  RunInfo info;
  info.options.load.symmetrize = Switch::no;
  info.options.load.make_features = MakeFeatures::random;
  info.options.load.seed = 3;
  LoadOptions now;
  now.labels_file = "labels.csv";
  now.data_root = "here";
  const LoadOptions load = load_like(info, now, {"labels-file"});
  EXPECT_EQ(load.symmetrize, Switch::no);
  EXPECT_EQ(load.make_features, MakeFeatures::random);
  EXPECT_EQ(load.seed, 3);
  EXPECT_EQ(load.labels_file, "labels.csv");
  EXPECT_EQ(load.data_root, "here");
}

TEST(RunInfo, MadeFeaturesAreTheTrainingsWhenItIsReadAgain) {
  RunInfo info;
  info.options.train.seed = info.options.load.seed = 7;
  EXPECT_EQ(run_info_from_json(to_json_text(info), "test").options.load.seed, 7);
}

}  // namespace
}  // namespace gs
