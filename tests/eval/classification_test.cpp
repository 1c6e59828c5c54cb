// The linear protocol as `eval` runs it, on runs that the trainer made.
#include "eval/classification.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "command/encoders.h"
#include "dataset/splits.h"
#include "eval/probe.h"
#include "nn/device.h"
#include "run/folder.h"
#include "run/model.h"
#include "support/files.h"
#include "train/trainer.h"

namespace gs {
namespace {

using test::TempFolder;
using testing::HasSubstr;

constexpr const char* kData = "sbm:nodes=150,classes=3,features=12,seed=5";

TrainRequest train_request(const fs::path& run) {
  TrainRequest request;
  request.data = kData;
  request.run = run;
  request.options.train.epochs = 8;
  request.options.train.lr = 0.03;
  request.options.model.aug_dim = 10;
  request.options.model.dim = 6;
  request.overwrite = true;
  return request;
}

// Three splits with one encoder each.
TrainRequest select_request(const fs::path& run) {
  TrainRequest request = train_request(run);
  request.options.train.select = Select::val;
  request.options.train.select_every = 1;
  request.options.train.epochs = 30;  // enough for the splits to choose different ones
  request.options.train.splits = "random:10/20/70";
  request.options.train.num_splits = 3;
  return request;
}

EvalRequest eval_request(const fs::path& input) {
  EvalRequest request;
  request.input = input.string();
  request.data = kData;
  request.probe.reference = false;
  request.probe.probe = Probe::paper;
  request.probe.probe_epochs = 40;
  request.probe.num_splits = 3;
  request.given = {"probe-epochs"};
  return request;
}

ClassificationResult evaluate(const EvalRequest& request, Progress& progress = no_progress()) {
  EncoderTrainer trainer(request, progress);
  return classify(request, progress,
                  [&](const RunInfo& info, const Dataset& data, int64_t seed, int64_t split_seed) {
                    return trainer.train(info, data, seed, split_seed);
                  });
}

std::string error_of(ErrorKind kind, const EvalRequest& request) {
  try {
    evaluate(request);
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
  train(data, select_request(folder / "run"));
  const EvalRequest request = eval_request(folder / "run");
  const ClassificationResult result = evaluate(request);
  ASSERT_EQ(result.encoders.size(), 1u);
  const auto found = result.encoders[0].scores[0].score.values();
  const auto splits = make_splits(data, "random:10/20/70", 3, 0);
  const Device device = make_device("cpu");
  const Batch batch = whole_graph(data, select_request({}).options.model.encoder, device);
  // By hand: every encoder on every split. The diagonal is what eval must report.
  double table[3][3];
  for (size_t k = 0; k < 3; ++k) {
    const LoadedModel kept = load_model(RunFolder(folder / "run").split_model(k), device);
    const at::Tensor z = kept.model->embed(batch);
    for (size_t s = 0; s < 3; ++s)
      table[k][s] = linear_probe(z, data.labels, {splits[s]}, request.probe, 0).splits[0].test;
  }
  ASSERT_EQ(found.size(), 3u);
  for (size_t k = 0; k < 3; ++k) EXPECT_EQ(found[k], table[k][k]) << k;
  bool differ = false;
  for (size_t k = 1; k < 3; ++k) differ |= table[0][k] != table[k][k];
  EXPECT_TRUE(differ) << "one encoder would score the same, so this test shows nothing";
}

TEST(Selection, EncodersOfOtherSplitsAreAnError) {
  const TempFolder folder;
  const fs::path run = folder / "run";
  train(load_dataset(kData, {}), select_request(run));
  fs::rename(RunFolder(run).split_model(1), folder / "one");
  fs::rename(RunFolder(run).split_model(2), RunFolder(run).split_model(1));
  fs::rename(folder / "one", RunFolder(run).split_model(2));
  EXPECT_THAT(error_of(ErrorKind::data, eval_request(run)), HasSubstr("not selected on split 1"));
}

TEST(Selection, OtherSplitsThanTheTrainingsAreAnError) {
  const TempFolder folder;
  train(load_dataset(kData, {}), select_request(folder / "run"));
  EvalRequest request = eval_request(folder / "run");
  request.probe.splits = "random:5/15/80", request.probe.num_splits = 5,
  request.probe.split_seed = 4;
  for (const char* name : {"splits", "num-splits", "split-seed"}) {
    request.given = {name};
    EXPECT_THAT(error_of(ErrorKind::usage, request), HasSubstr(std::string("--") + name));
  }
  request.given = {};  // those were defaults: the training's splits are used
  EXPECT_EQ(evaluate(request).encoders[0].scores[0].score.splits.size(), 3u);
  request.probe.splits = "random:10/20/70", request.probe.num_splits = 3,
  request.probe.split_seed = 0;
  request.given = {"splits", "num-splits", "split-seed"};  // the same as the training's
  EXPECT_EQ(evaluate(request).encoders[0].scores[0].score.splits.size(), 3u);
}

TEST(Selection, AnotherGraphIsAnError) {
  const TempFolder folder;
  train(load_dataset(kData, {}), select_request(folder / "run"));
  EvalRequest request = eval_request(folder / "run");
  for (const char* other : {"sbm:nodes=160,classes=3,features=12,seed=5",
                            "sbm:nodes=150,classes=3,features=12,seed=5,unlabeled=0.3"}) {
    request.data = other;
    EXPECT_THAT(error_of(ErrorKind::data, request), HasSubstr("selected on"));
  }
}

TEST(Selection, FewerSplitsLeaveNoOldEncoders) {
  const TempFolder folder;
  const Dataset data = load_dataset(kData, {});
  train(data, select_request(folder / "run"));
  TrainRequest two = select_request(folder / "run");
  two.options.train.num_splits = 2;
  train(data, two);
  EXPECT_FALSE(fs::exists(RunFolder(folder / "run").split_model(2)));
  EXPECT_EQ(evaluate(eval_request(folder / "run")).encoders[0].scores[0].score.splits.size(), 2u);
}

TEST(Selection, WithoutAnEpochTheFirstWeightsAreKept) {
  const TempFolder folder;
  TrainRequest request = select_request(folder / "run");
  request.options.train.epochs = 0;
  train(load_dataset(kData, {}), request);
  EXPECT_EQ(evaluate(eval_request(folder / "run")).encoders[0].scores[0].score.splits.size(), 3u);
}

TEST(Encoders, EachEncoderScoresLikeARunOfThatSeed) {
  const TempFolder folder;
  const Dataset data = load_dataset(kData, {});
  train(data, train_request(folder / "run"));
  TrainRequest second = train_request(folder / "second");
  second.options.train.seed = 1;
  train(data, second);
  EvalRequest request = eval_request(folder / "run");
  request.task.encoders = 3;
  const ClassificationResult result = evaluate(request);
  ASSERT_EQ(result.encoders.size(), 3u);
  for (int64_t e = 0; e < 3; ++e) EXPECT_EQ(result.encoders[e].seed, e);
  request.task.encoders = 1;
  EXPECT_EQ(result.encoders[0].scores[0].score.values(),
            evaluate(request).encoders[0].scores[0].score.values());
  EXPECT_EQ(result.encoders[1].scores[0].score.values(),
            evaluate(eval_request(folder / "second")).encoders[0].scores[0].score.values());
  EXPECT_NE(result.encoders[1].scores[0].score.values(),
            result.encoders[2].scores[0].score.values());
}

TEST(Encoders, ReportWhichEncoderIsInTraining) {
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
  train(load_dataset(kData, {}), train_request(folder / "run"));
  EvalRequest request = eval_request(folder / "run");
  request.task.encoders = 3;
  evaluate(request, tasks);
  EXPECT_THAT(tasks.names,
              testing::IsSupersetOf({"encoder 2 of 3, training", "encoder 3 of 3, training"}));
}

TEST(Encoders, AnInterruptStopsThem) {
  const TempFolder folder;
  train(load_dataset(kData, {}), train_request(folder / "run"));
  EvalRequest request = eval_request(folder / "run");
  const std::atomic<bool> stop = true;
  request.task.encoders = 3, request.stop = [&] { return &stop; };
  EXPECT_THAT(error_of(ErrorKind::interrupted, request), HasSubstr("encoder 2 of 3"));
}

TEST(Encoders, SelectOnTheRunsOwnSplits) {
  const TempFolder folder;
  train(load_dataset(kData, {}), select_request(folder / "run"));
  EvalRequest request = eval_request(folder / "run");
  request.task.encoders = 2;
  EXPECT_EQ(evaluate(request).encoders.size(),
            2u);  // else encoder 1 is refused as of other splits
}

TEST(Encoders, TrainOnTheRunsDataWhenAnotherGraphIsScored) {
  const TempFolder folder;
  train(load_dataset(kData, {}), train_request(folder / "run"));
  EvalRequest request = eval_request(folder / "run");
  request.data = "sbm:nodes=90,classes=3,features=12,seed=6";
  request.task.encoders = 2;
  const ClassificationResult result = evaluate(request);
  TrainRequest second = train_request(folder / "second");
  second.options.train.seed = 1;
  train(load_dataset(kData, {}), second);
  request.input = (folder / "second").string(), request.task.encoders = 1;
  EXPECT_EQ(result.encoders[1].scores[0].score.values(),
            evaluate(request).encoders[0].scores[0].score.values());
}

TEST(Encoders, NeedTheRunsData) {
  const TempFolder folder;
  TrainRequest trained = train_request(folder / "run");
  trained.data = "gone/away";
  train(load_dataset(kData, {}), trained);
  EvalRequest request = eval_request(folder / "run");
  EXPECT_NO_THROW(evaluate(request));
  request.task.encoders = 2;
  EXPECT_THAT(error_of(ErrorKind::data, request), HasSubstr("gone/away"));
}

ProbeScores scores_of(std::vector<double> tests) {
  Score score;
  for (const double test : tests) score.splits.push_back({.test = test});
  return {{"logistic", score}};
}

TEST(Deviations, AreOverSplitsAndOverEncoders) {
  ClassificationResult result;
  result.encoders = {{0, scores_of({80, 84})}, {1, scores_of({88, 96})}};
  EXPECT_DOUBLE_EQ(result.mean(), 87);
  EXPECT_DOUBLE_EQ(result.deviation_within(), std::sqrt((4 + 16) / 2.0));
  EXPECT_DOUBLE_EQ(result.deviation_between(), 5);
  EXPECT_DOUBLE_EQ(10 + 25, (49 + 9 + 1 + 81) / 4.0) << "both make up the variance of all four";
}

TEST(Protocol, AnEvaluationFollowsTheRunUnlessTold) {
  const TempFolder folder;
  TrainRequest trained = train_request(folder / "run");
  trained.options.protocol = Protocol::paper;
  train(load_dataset(kData, {}), trained);
  EvalRequest request = eval_request(folder / "run");
  EXPECT_EQ(evaluate(request).probe_epochs, 40) << "given";
  request.given = {};
  EXPECT_EQ(evaluate(request).probe_epochs, 100) << "the run's protocol";
  EXPECT_EQ(evaluate(request).protocol, Protocol::paper);
  request.given = {"protocol"};
  EXPECT_EQ(evaluate(request).probe_epochs, 500) << "the flag's";
  request.input = (folder / "run/embeddings.npy").string();
  request.given = {};
  EXPECT_EQ(evaluate(request).probe_epochs, 500) << "the default";
  request.protocol = Protocol::paper;
  request.given = {"protocol"};
  EXPECT_EQ(evaluate(request).probe_epochs, 100) << "the flag's";
}

// 20 splits of 10 % and 10 %, and the logistic probe alone.
TEST(Protocol, BgrlSetsSplitsAndProbe) {
  const TempFolder folder;
  train(load_dataset(kData, {}), train_request(folder / "run"));
  EvalRequest request = eval_request(folder / "run");
  request.probe = {}, request.protocol = Protocol::bgrl, request.given = {"protocol"};
  request.probe.reference = false;
  const ClassificationResult result = evaluate(request);
  ASSERT_EQ(result.encoders[0].scores.size(), 1u);
  EXPECT_EQ(result.encoders[0].scores[0].probe, "logistic");
  EXPECT_EQ(result.encoders[0].scores[0].score.splits.size(), 20u);
  EXPECT_EQ(result.splits, "20 random:10/10/80, seed 0");
}

TEST(Probes, StandSideBySideEachAsItIsAlone) {
  const TempFolder folder;
  train(load_dataset(kData, {}), train_request(folder / "run"));
  EvalRequest request = eval_request(folder / "run");
  request.probe.probe = Probe::both, request.probe.reference = true;
  const ClassificationResult both = evaluate(request);
  ASSERT_EQ(both.encoders[0].scores.size(), 2u);
  for (const size_t p : {0, 1}) {
    request.probe.probe = p == 0 ? Probe::logistic : Probe::paper;
    const ClassificationResult one = evaluate(request);
    ASSERT_EQ(one.encoders[0].scores.size(), 1u);
    EXPECT_EQ(both.encoders[0].scores[p].probe, one.encoders[0].scores[0].probe);
    EXPECT_EQ(both.encoders[0].scores[p].score.values(), one.encoders[0].scores[0].score.values());
    for (const auto& [name, scores] : one.reference)
      EXPECT_EQ(both.reference.at(name)[p].score.values(), scores[0].score.values()) << name;
  }
  EXPECT_THAT(both.reference, testing::SizeIs(4));
}

TEST(ClassificationText, HasOneRowPerReferenceAndEncoder) {
  ClassificationResult result;
  result.splits = "2 random:5/15/80, seed 0", result.train_labels = 8, result.probe_epochs = 500;
  result.encoders = {{0, scores_of({80, 84})}};
  result.reference["raw"] = scores_of({50, 60});
  EXPECT_EQ(result.to_text(),
            "accuracy over 2 splits (2 random:5/15/80, seed 0; 8 training labels per split)\n\n"
            "                          logistic\n"
            "  raw features             55.00 +- 5.00\n"
            "  trained                  82.00 +- 2.00\n\n"
            "Better than the best embedding without training (raw) by 27.0 points.\n");
  result.encoders.push_back({1, scores_of({88, 96})});
  EXPECT_THAT(result.to_text(), HasSubstr("  trained, seed 1          92.00 +- 4.00\n"
                                          "  2 encoders               87.00 +- 3.16\n"
                                          "    between encoders             +- 5.00\n"));
}

Score score_of(const std::vector<double>& tests) {
  Score out;
  for (const double test : tests) out.splits.push_back({.test = test});
  return out;
}

ClassificationResult scored(const std::vector<double>& own, const std::vector<double>& diffused) {
  // By the paper's probe, everything is equal.
  const auto by_both = [&](const std::vector<double>& values) {
    return ProbeScores{{"logistic", score_of(values)},
                       {"paper", score_of(std::vector<double>(own.size()))}};
  };
  ClassificationResult out;
  out.encoders = {{0, by_both(own)}};
  out.reference["raw"] = by_both(std::vector<double>(own.size(), 40));
  out.reference["diffused"] = by_both(diffused);
  return out;
}

TEST(Verdict, ComparesWithTheBestReferenceSplitBySplit) {
  // Differences of 1, 2 and 3 points: a mean of 2 with a standard error of 1 / sqrt(3).
  const ClassificationResult better = scored({61, 72, 53}, {60, 70, 50});
  const std::optional<Verdict> found = better.verdict();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->against, "diffused");
  EXPECT_NEAR(found->difference, 2, 1e-9);
  EXPECT_NEAR(found->standard_error.value(), 1 / std::sqrt(3.0), 1e-9);
  EXPECT_EQ(better.verdict_text(),
            "Better than the best embedding without training (diffused) by 2.0 points.");
  EXPECT_EQ(better.to_json()["verdict"]["outcome"], "better");
  EXPECT_THAT(better.to_text(), testing::EndsWith("by 2.0 points.\n"));
  EXPECT_EQ(scored({59, 68, 47}, {60, 70, 50}).verdict_text(),
            "No better than diffused features here (-2.0 points); use --method diffused.");
  EXPECT_EQ(scored({61, 69, 51}, {60, 70, 50}).verdict_text(),
            "About as good as diffused features here (+0.3 points, standard error 0.7).");
}

TEST(Verdict, NeedsTheLogisticProbeAndAReference) {
  ClassificationResult result = scored({61, 72, 53}, {60, 70, 50});
  result.judged = false;
  EXPECT_FALSE(result.verdict());
  result.judged = true;
  result.encoders[0].scores[0].probe = "paper";
  EXPECT_FALSE(result.verdict());
  EXPECT_TRUE(result.to_json()["verdict"].is_null());
  result.encoders[0].scores[0].probe = "predictions";
  EXPECT_TRUE(result.verdict());
  result.reference.clear();
  EXPECT_FALSE(result.verdict());
  EXPECT_EQ(result.verdict_text(), "");
}

TEST(Verdict, TakesTheMeanOfEncodersAndOneSplitHasNoError) {
  ClassificationResult result = scored({61}, {60});
  result.encoders.push_back({1, {{"logistic", score_of({63})}, {"paper", score_of({0})}}});
  ASSERT_TRUE(result.verdict());
  EXPECT_NEAR(result.verdict()->difference, 2, 1e-9);
  EXPECT_FALSE(result.verdict()->standard_error);
}

}  // namespace
}  // namespace gs
