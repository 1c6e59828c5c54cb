// eval and inspect, run as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/npy.h"
#include "base/random.h"
#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGraph = "sbm:nodes=300,classes=3,features=16,seed=3";

Outcome train(const fs::path& run, const std::string& more = {}, int epochs = 4) {
  return run_program(
      "train " + std::string(kGraph) + " -o " + run.string() +
      " --mode pre --layers 2 --aug-dim 24 --dim 8 --lr 0.01 --quiet --threads 1 --epochs " +
      std::to_string(epochs) + " " + more);
}

Outcome eval_task(const fs::path& input, const std::string& more, const std::string& data = kGraph,
                  const std::string& environment = {}) {
  return run_program("eval " + input.string() + " " + data + " --quiet --threads 1 " + more,
                     environment);
}

Outcome eval(const fs::path& input, const std::string& more, const std::string& environment = {}) {
  return eval_task(input, "--num-splits 3 " + more, kGraph, environment);
}

json result_of(const Outcome& run) {
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.exit_code == 0 ? json::parse(run.out) : json::object();
}

std::set<std::string> files_of(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

TEST(EvalTasks, ClusteringFindsTheBlocksOfAnEasyGraph) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run", "", 20).exit_code, 0);
  const json r = result_of(eval_task(folder / "run", "--task clustering --repeats 3 --json"));
  for (const char* key : {"nmi", "ari", "accuracy"}) {
    EXPECT_GT(r[key]["mean"].get<double>(), key == std::string("accuracy") ? 50 : 10) << key;
    EXPECT_EQ(r[key]["values"].size(), 3u);
  }
  EXPECT_EQ(r["clusters"], 3);
  const json file = result_of(
      eval_task(folder / "run" / "embeddings.npy", "--task clustering --repeats 3 --json"));
  EXPECT_EQ(file["nmi"], r["nmi"]);
  EXPECT_THAT(eval_task(folder / "run", "--task clustering --repeats 1").out, HasSubstr("NMI"));
}

TEST(EvalScores, LieInTheRunFolderUntilItIsTrainedOn) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run").exit_code, 0);
  const fs::path kept = folder / "run/scores.json";
  EXPECT_FALSE(fs::exists(kept));
  const json printed = result_of(eval(folder / "run", "--no-reference --json"));
  EXPECT_EQ(json::parse(read_text(kept)), printed);
  // Another kind of score.
  result_of(eval_task(folder / "run", "--task clustering --repeats 3 --json"));
  EXPECT_EQ(json::parse(read_text(kept)), printed);
  ASSERT_EQ(train(folder / "run", "--resume", 6).exit_code, 0);
  EXPECT_FALSE(fs::exists(kept));
}

TEST(EvalPredictions, AreThoseThatTheFirstSplitIsScoredBy) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run").exit_code, 0);
  ASSERT_EQ(run_program("data convert " + std::string(kGraph) + " -o " + (folder / "data").string())
                .exit_code,
            0);
  const fs::path file = folder / "predictions.npy";
  const std::string asked = "--no-reference --no-keep --json --predictions " + file.string();
  const json r = result_of(eval(folder / "run", asked));
  EXPECT_FALSE(fs::exists(folder / "run/scores.json"));
  const Array<int32_t> predicted = load_npy(file).as<int32_t>(),
                       truth = load_npy(folder / "data/labels.npy").as<int32_t>();
  ASSERT_EQ(predicted.size(), truth.size());
  double known = 0, right = 0;
  for (int64_t v = 0; v < truth.size(); ++v)
    known += predicted[v] >= 0, right += predicted[v] == truth[v];
  EXPECT_EQ(known, 240);  // 80 % of 300
  EXPECT_NEAR(100 * right / known, r["values"][0].get<double>(), 1e-9);
  EXPECT_EQ(eval(folder / "run", asked).exit_code, 3) << "already exists";
  EXPECT_EQ(eval(folder / "run", asked + " --overwrite").exit_code, 0);
  EXPECT_EQ(eval_task(folder / "run", asked + " --task clustering").exit_code, 2);
}

TEST(EvalScores, AreReportedThoughTheRunsOptionsAreDamaged) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run").exit_code, 0);
  write_text(folder / "run/options.json", "{\"data\": ");
  EXPECT_EQ(eval(folder / "run", "--no-reference").exit_code, 0);
  EXPECT_FALSE(fs::exists(folder / "run/scores.json"));
}

TEST(EvalScores, OnOtherDataAreNotTheRuns) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run").exit_code, 0);
  ASSERT_EQ(run_program("eval " + (folder / "run").string() +
                        " sbm:nodes=200,classes=3,features=16,seed=4 --num-splits 1 --no-reference "
                        "--quiet --threads 1")
                .exit_code,
            0);
  EXPECT_FALSE(fs::exists(folder / "run/scores.json"));
}

TEST(EvalTasks, LinksAreHeldOutAndFound) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run", "", 20).exit_code, 0);
  const auto before = files_of(folder / "run");
  const std::string more = "--task links --held-out 0.2 --encoders 2 ";
  const json r = result_of(eval_task(folder / "run", more + "--json"));
  for (const char* scorer : {"dot", "logistic"})
    for (const char* key : {"auc", "average_precision", "hits_10", "hits_50", "hits_100", "mrr"})
      EXPECT_EQ(r[scorer][key]["values"].size(), 2u) << scorer << key;
  EXPECT_GT(r["dot"]["auc"]["mean"].get<double>(), 60);  // chance is 50
  EXPECT_EQ(result_of(eval_task(folder / "run", more + "--json")), r);
  EXPECT_EQ(files_of(folder / "run"), before);
  EXPECT_THAT(eval_task(folder / "run", more).out, HasSubstr("MRR"));
  const Outcome file = eval_task(folder / "run" / "embeddings.npy", "--task links");
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.err, HasSubstr("know the answers"));
}

TEST(EvalTasks, FeaturesMadeOfAllEdgesDoNotGiveTheHeldOutOnesAway) {
  const TempFolder folder;
  Random random(5);  // a graph with nothing to predict
  std::string edges;
  for (int i = 0; i < 900; ++i) {
    const uint64_t from = random.below(300), to = random.below(300);
    if (from != to) edges += std::to_string(from) + "," + std::to_string(to) + "\n";
  }
  const fs::path file = folder / "edges.csv", run = folder / "run";
  write_text(file, edges);
  ASSERT_EQ(run_program("train " + file.string() + " -o " + run.string() +
                        " --symmetrize yes --make-features spectral --make-width 64 --method raw "
                        "--quiet --threads 1")
                .exit_code,
            0);
  const json r =
      result_of(eval_task(run, "--task links --held-out 0.2 --encoders 3 --json", file.string()));
  EXPECT_LT(r["dot"]["auc"]["mean"].get<double>(), 65);  // 99 when they do

  const fs::path kept = folder / "kept", other = folder / "other";  // features in a file
  ASSERT_EQ(run_program("data convert " + file.string() + " -o " + kept.string() +
                        " --symmetrize yes --make-features spectral --quiet")
                .exit_code,
            0);
  ASSERT_EQ(run_program("train " + kept.string() + " -o " + other.string() +
                        " --method raw --quiet --threads 1")
                .exit_code,
            0);
  const Outcome refused = eval_task(other, "--task links", kept.string());
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("made of all its edges"));
}

// Two communities separated by one small column, beside a large column of noise.
std::string two_communities(const TempFolder& folder, float noise) {
  Random random(7);
  std::string edges, features = "id,side,noise\n";
  for (int v = 0; v < 400; ++v) {
    const float side = v < 200 ? 1.0f : -1.0f;
    features += fmt::format("{},{},{}\n", v, side, noise * (random.below(2) == 0 ? 1.0f : -1.0f));
    for (int e = 0; e < 6; ++e)
      edges += fmt::format("{},{}\n", v, random.below(200) + (v < 200 ? 0 : 200));
  }
  write_text(folder / "data/edges.csv", "source,target\n" + edges);
  write_text(folder / "data/features.csv", features);
  const std::string data = (folder / "data").string();
  const Outcome run =
      run_program("train " + data + " -o " + (folder / "run").string() +
                  " --symmetrize yes --features raw --method raw --quiet --threads 1");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return data;
}

TEST(EvalTasks, TheLogisticScorerLearnsWhichColumnsMatter) {
  const TempFolder folder;
  const std::string data = two_communities(folder, 100);
  const json r = result_of(eval_task(folder / "run", "--task links --encoders 5 --json", data));
  const auto auc = [&](const char* scorer) { return r[scorer]["auc"]["mean"].get<double>(); };
  EXPECT_NEAR(auc("dot"), 62, 6);       // the noise's sign decides, the side only among its equals
  EXPECT_NEAR(auc("logistic"), 75, 5);  // every edge, and half of the other pairs, has equal sides
  EXPECT_NEAR(r["share"].get<double>(), 0.1, 0.001);
  const json other =
      json::parse(run_program("eval " + (folder / "run").string() + " " + data +
                              " --quiet --task links --encoders 5 --json --threads 2")
                      .out);
  EXPECT_EQ(other, r) << "the number of threads";
}

// Their products overflow.
TEST(EvalTasks, LinksBetweenHugeEmbeddingsAreScored) {
  const TempFolder folder;
  const std::string data = two_communities(folder, 1e25f);
  const json r = result_of(eval_task(folder / "run", "--task links --json", data));
  EXPECT_NEAR(r["dot"]["auc"]["mean"].get<double>(), 50, 6);
}

TEST(EvalTasks, RefuseWhatTheyDoNotRead) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run").exit_code, 0);
  const Outcome encoders = eval_task(folder / "run", "--task clustering --encoders 3");
  EXPECT_EQ(encoders.exit_code, 2);
  EXPECT_THAT(encoders.err, HasSubstr("--encoders: --task clustering does not read it"));
  EXPECT_EQ(eval_task(folder / "run", "--task links --predictions p.npy").exit_code, 2);
  ASSERT_EQ(run_program("train " + std::string(kGraph) + " -o " + (folder / "gcn").string() +
                        " --method gcn --hidden 8 --epochs 2 --num-splits 1 --quiet --threads 1")
                .exit_code,
            0);
  const Outcome learned = eval_task(folder / "gcn", "--task clustering");
  EXPECT_EQ(learned.exit_code, 2);
  EXPECT_THAT(learned.err, HasSubstr("learned from labels"));
}

TEST(EvalTasks, AreChosenByName) {
  const Outcome unknown = eval_task("no/run", "--task clusterin");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'clustering'?"));
  EXPECT_THAT(run_program("eval --help-all").out, HasSubstr("agreement of k-means clusters"));
}

TEST(EvalCommand, AnOldFlagNamesTheNewOne) {
  for (const auto& [old, now] :
       {std::pair{"--runs 3", "--num-splits"}, std::pair{"--seeds 3", "--encoders"}}) {
    const Outcome run = eval_task("no/run", old);
    EXPECT_EQ(run.exit_code, 2) << old;
    EXPECT_THAT(run.err, HasSubstr(now)) << old;
  }
}

TEST(EvalTasks, ClusteringRejectsNaN) {
  const TempFolder folder;
  std::vector<float> z(600, 1.0f);
  z[7] = std::nanf("");
  const int64_t shape[] = {300, 2};
  save_npy<float>(folder / "z.npy", z, shape);
  const Outcome found = eval_task(folder / "z.npy", "--task clustering");
  EXPECT_EQ(found.exit_code, 3);
  EXPECT_THAT(found.err, HasSubstr("NaN"));
}

TEST(InspectCommand, ReportsHeadsViewsAndNodes) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run").exit_code, 0);
  const std::string command = "inspect " + (folder / "run").string() + " " + kGraph + " --quiet ";
  const json r =
      result_of(run_program(command + "--top 3 --json -o " + (folder / "i.json").string()));
  EXPECT_EQ(r["gains"]["first"].size(), 16u);
  EXPECT_EQ(r["gains"]["amplified_by_first"].size(), 3u);
  EXPECT_EQ(r["disagree"].size(), 3u);
  EXPECT_EQ(r["classes"].size(), 3u);
  EXPECT_EQ(json::parse(read_text(folder / "i.json")), r);
  const fs::path file = folder / "agreement.npy";
  result_of(run_program(command + "--json --agreement " + file.string()));
  const Array<float> agreement = load_npy(file).as<float>();
  ASSERT_EQ(agreement.size(), 300);
  for (const json& node : r["disagree"])
    EXPECT_EQ(agreement[node["node"].get<int64_t>()], node["cosine"].get<float>());
  EXPECT_EQ(run_program(command + "--agreement " + file.string()).exit_code, 3);
  EXPECT_THAT(run_program(command).out, HasSubstr("effective rank"));
}

TEST(EvalEncoders, ReportBothDeviationsAndLeaveNothingElse) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run", "--seed 5").exit_code, 0);
  auto files = files_of(folder / "run");
  files.insert("scores.json");
  fs::create_directory(folder / "tmp");
  const std::string more = "--probe-epochs 30 --no-reference --encoders 3 ";
  const std::string environment = "TMPDIR=" + (folder / "tmp").string();
  const json r = result_of(eval(folder / "run", more + "--json", environment));
  ASSERT_EQ(r["encoders"].size(), 3u);
  double mean = 0, within = 0, all = 0, between = 0;
  for (int e = 0; e < 3; ++e) {
    const json& encoder = r["encoders"][e];
    EXPECT_EQ(encoder["seed"], 5 + e);
    EXPECT_EQ(encoder["values"].size(), 3u);
    mean += encoder["mean"].get<double>() / 3;
    within += std::pow(encoder["std"].get<double>(), 2) / 3;
  }
  for (const json& encoder : r["encoders"])
    between += std::pow(encoder["mean"].get<double>() - mean, 2) / 3;
  ASSERT_EQ(r["values"].size(), 9u);
  for (const json& run : r["values"]) all += std::pow(run.get<double>() - mean, 2) / 9;
  EXPECT_NEAR(r["mean"].get<double>(), mean, 1e-9);
  EXPECT_NEAR(r["std"].get<double>(), std::sqrt(within), 1e-9);
  EXPECT_NEAR(r["std_over_encoders"].get<double>(), std::sqrt(between), 1e-9);
  EXPECT_NEAR(within + between, all, 1e-9);
  EXPECT_EQ(files_of(folder / "run"), files);
  EXPECT_TRUE(fs::is_empty(folder / "tmp"));
  const Outcome text = eval(folder / "run", more, environment);
  EXPECT_THAT(text.out, HasSubstr("trained, seed 7"));
  EXPECT_THAT(text.out, HasSubstr("3 encoders"));
  EXPECT_THAT(text.out, HasSubstr("between encoders"));
}

TEST(EvalEncoders, OneEncoderHasNoDeviationOverEncoders) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run").exit_code, 0);
  const json r = result_of(eval(folder / "run", "--probe-epochs 5 --no-reference --json"));
  EXPECT_EQ(r["encoders"].size(), 1u);
  EXPECT_EQ(r["encoders"][0]["std"], r["std"]);
  EXPECT_TRUE(r["std_over_encoders"].is_null());
}

TEST(EvalEncoders, EmbeddingsInAFileCannotBeTrainedAgain) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run").exit_code, 0);
  const Outcome run = eval(folder / "run/embeddings.npy", "--encoders 2");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--encoders"));
  EXPECT_THAT(run.err, HasSubstr("is not a run"));
}

TEST(EvalCommand, ReferenceIsSwitchedOffByItsNoForm) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run").exit_code, 0);
  const std::string probe = "--probe-epochs 5 --json ";
  EXPECT_EQ(result_of(eval(folder / "run", probe))["reference"].size(), 4u);
  EXPECT_EQ(result_of(eval(folder / "run", probe + "--reference"))["reference"].size(), 4u);
  EXPECT_EQ(result_of(eval(folder / "run", probe + "--no-reference"))["reference"].size(), 0u);
  EXPECT_EQ(eval(folder / "run", probe + "--no-reference --reference").exit_code, 2);
  EXPECT_THAT(run_program("eval --help").out, HasSubstr("--no-reference"));
  EXPECT_THAT(run_program("eval --help").out, Not(HasSubstr("--no-json"))) << "is off by default";
}

TEST(EvalCommand, TakesTheProtocolFromTheRunOrTheFlag) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run", "--protocol paper --select last").exit_code, 0);
  const auto steps = [&](const char* input, const std::string& more) {
    return result_of(eval(folder / input, "--no-reference --json " + more))["probe_epochs"];
  };
  EXPECT_EQ(steps("run", ""), 100);
  EXPECT_EQ(steps("run", "--protocol authors"), 500);
  EXPECT_EQ(steps("run", "--probe-epochs 7"), 7);
  EXPECT_EQ(steps("run/embeddings.npy", ""), 500);
  EXPECT_EQ(steps("run/embeddings.npy", "--protocol paper"), 100);
}

TEST(EvalCommand, OtherSplitsThanTheSelectionsAreRefused) {
  const TempFolder folder;
  const std::string select =
      "--select val --select-every 4 --splits random:10/20/70 --num-splits 3";
  ASSERT_EQ(train(folder / "run", select).exit_code, 0);
  const std::string probe = "--no-reference --probe-epochs 5 --json ";
  EXPECT_EQ(result_of(eval(folder / "run", probe))["splits"], "3 random:10/20/70, seed 0");
  const Outcome run = eval(folder / "run", probe + "--split-seed 1");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--split-seed"));
}

TEST(EvalCommand, ARunThatLearnedFromLabelsIsScoredByItsOwnPredictionsOnItsOwnSplits) {
  const TempFolder folder;
  const Outcome trained = run_program(
      "train " + std::string(kGraph) + " -o " + (folder / "run").string() +
      " --method gcn --hidden 8 --splits random:10/20/70 --num-splits 3 --epochs 30 --quiet");
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const json r = result_of(eval(folder / "run", "--no-reference --json"));
  EXPECT_EQ(r["splits"], "3 random:10/20/70, seed 0");
  ASSERT_EQ(r["encoders"][0]["values"].size(), 3u);
  EXPECT_GT(r["mean"].get<double>(), 50) << "chance is 33";
  for (const char* other : {"--split-seed 1", "--splits random:5/15/80", "--num-splits 2"}) {
    const Outcome run =
        run_program("eval " + (folder / "run").string() + " " + kGraph + " --quiet " + other);
    EXPECT_EQ(run.exit_code, 2) << other;
    EXPECT_THAT(run.err, HasSubstr("the run learned")) << other;
  }
}

TEST(TrainCommand, AWrongSimilarityWeightIsReportedBeforeAnyDataIsRead) {
  const TempFolder folder;
  const Outcome run =
      run_program("train no/such/data --similarity-weight foo -o " + (folder / "run").string(),
                  "LD_DEBUG=files");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("error: --similarity-weight: 'foo' is neither"));
  EXPECT_THAT(run.err, Not(HasSubstr("libtorch")));
  EXPECT_FALSE(fs::exists(folder / "run"));
}

}  // namespace
}  // namespace gs::test
