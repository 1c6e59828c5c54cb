// train, embed and eval, run as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/random.h"
#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kGraph = "sbm:nodes=400,classes=3,features=16,seed=3";
constexpr const char* kSmall = " --aug-dim 24 --dim 8 --lr 0.01 --quiet ";

Outcome train(const fs::path& run, const std::string& more = {}) {
  return run_program("train " + std::string(kGraph) + " -o " + run.string() + kSmall + more);
}

TEST(TrainCommand, BatchesAreReportedInThePlanAndInTheResult) {
  const TempFolder folder;
  for (const char* loader : {"neighbor", "cluster", "saint"}) {
    const Outcome run = run_program(
        fmt::format("train {} -o {} --overwrite --aug-dim 24 --dim 8 --epochs 2 --json --loader {} "
                    "--batch-size 100 --fanouts 3,2 --parts 8 --parts-per-batch 2 --roots 20",
                    kGraph, (folder / "run").string(), loader));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr(fmt::format("plan: 400 nodes"))) << loader;
    const json result = json::parse(run.out);
    EXPECT_EQ(result["loader"], loader);
    EXPECT_GT(result["batches"].get<int>(), 1);
    EXPECT_GT(result["plan"]["total_mib"].get<double>(), 0);
  }
}

TEST(TrainCommand, ARunThatCannotFitIsRefusedWithWhatWould) {
  const TempFolder folder;
  const Outcome run = train(folder / "run", "--epochs 2 --memory 10");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("MiB"));
  EXPECT_THAT(run.err, HasSubstr("--memory"));
  EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST(TrainCommand, JsonHasThePromisedKeys) {
  const TempFolder folder;
  const Outcome run = train(folder / "run", "--epochs 3 --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const json result = json::parse(run.out);
  EXPECT_EQ(result["epochs"], 3);
  for (const char* key : {"run", "ms_per_epoch", "peak_mib", "loss"})
    EXPECT_TRUE(result.contains(key)) << key;
  for (const char* key : {"total", "similarity", "constraint"})
    EXPECT_TRUE(result["loss"].contains(key)) << key;
}

TEST(TrainCommand, ARunsOptionsAreAConfigForAnother) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run", "--epochs 3 --dropout 0.25").exit_code, 0);
  const Outcome again =
      run_program("train " + std::string(kGraph) + " -o " + (folder / "again").string() +
                  " --quiet --config " + (folder / "run/options.json").string());
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(read_text(folder / "run/embeddings.npy"), read_text(folder / "again/embeddings.npy"));
}

TEST(TrainCommand, AResumedRunReportsTimeAndMemoryOfAllItsEpochs) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run", "--epochs 3").exit_code, 0);
  const std::string metrics = read_text(folder / "run/metrics.jsonl");
  const Outcome again = train(folder / "run", "--epochs 3 --resume --json");  // nothing is left
  ASSERT_EQ(again.exit_code, 0) << again.err;
  std::vector<double> seconds;
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);)
    seconds.push_back(json::parse(line)["seconds"]);
  ASSERT_EQ(seconds.size(), 3u);
  std::sort(seconds.begin(), seconds.end());
  EXPECT_NEAR(json::parse(again.out)["ms_per_epoch"].get<double>(), 1000 * seconds[1], 1e-6);
}

TEST(EmbedCommand, EqualsWhatTrainingWroteBitForBit) {
  const TempFolder folder;
  for (const std::string mode : {"pre", "post"}) {
    ASSERT_EQ(train(folder / mode, "--epochs 4 --mode " + mode).exit_code, 0);
    const std::string z = (folder / (mode + ".npy")).string();
    const Outcome run =
        run_program("embed " + (folder / mode).string() + " " + kGraph + " -o " + z);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(read_text(z), read_text(folder / mode / "embeddings.npy"));
    EXPECT_EQ(run_program("embed " + (folder / mode).string() + " " + kGraph +
                          " --overwrite --memory 1 -o " + z)
                  .exit_code,
              0);
    EXPECT_EQ(read_text(z), read_text(folder / mode / "embeddings.npy"));
  }
}

TEST(EmbedCommand, EmbedsAnotherGraphWithTheSameFeatures) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run", "--epochs 2").exit_code, 0);
  const std::string run = (folder / "run").string();
  const Outcome other = run_program("embed " + run + " sbm:nodes=77,features=16 -o " +
                                    (folder / "z.npy").string() + " --json");
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(json::parse(other.out)["nodes"], 77);
  const Outcome wrong =
      run_program("embed " + run + " sbm:nodes=77,features=9 -o " + (folder / "w.npy").string());
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("9 features, but the model was trained on 16"));
  EXPECT_FALSE(fs::exists(folder / "w.npy"));
}

TEST(EmbedCommand, WritesCsvAndIds) {
  const TempFolder folder;
  write_text(folder / "data/edges.csv", "source,target\nann,bob\nbob,cy\ncy,ann\ncy,\"d,d\"\n");
  write_text(folder / "data/features.csv", "id,x,y\nann,1,0\nbob,0,1\ncy,1,1\n\"d,d\",0.5,0\n");
  const std::string data = (folder / "data").string(), run = (folder / "run").string();
  const Outcome trained = run_program("train " + data + " -o " + run + kSmall + "--epochs 2");
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_EQ(read_text(folder / "run/ids.txt"), "ann\nbob\ncy\nd,d\n");
  ASSERT_EQ(
      run_program("embed " + run + " " + data + " -o " + (folder / "z.csv").string()).exit_code, 0);
  EXPECT_THAT(read_text(folder / "z.csv"), HasSubstr("\n\"d,d\","));
  const std::string npy = "embed " + run + " " + data + " -o " + (folder / "data/z.npy").string();
  EXPECT_THAT(run_program(npy).out, HasSubstr("z.ids.txt"));
  EXPECT_EQ(read_text(folder / "data/z.ids.txt"), "ann\nbob\ncy\nd,d\n");
  EXPECT_FALSE(fs::exists(folder / "data/ids.txt"));  // it would become part of the data
  fs::remove(folder / "data/z.npy");
  write_text(folder / "data/z.ids.txt", "somebody's");
  EXPECT_EQ(run_program(npy).exit_code, 3);
  EXPECT_EQ(read_text(folder / "data/z.ids.txt"), "somebody's");
  EXPECT_FALSE(fs::exists(folder / "data/z.npy"));
  fs::remove(folder / "data/z.ids.txt");
}

TEST(EvalCommand, ScoresARunAndAnyNpyAlike) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run", "--epochs 10").exit_code, 0);
  const std::string probe = std::string(" ") + kGraph + " --probe-epochs 50 --num-splits 3 --json";
  const Outcome run = run_program("eval " + (folder / "run").string() + probe);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json result = json::parse(run.out);
  EXPECT_EQ(result["metric"], "accuracy");
  EXPECT_EQ(result["values"].size(), 3u);
  for (const char* key : {"raw", "smoothed", "untrained"})
    EXPECT_TRUE(result["reference"].contains(key)) << key;
  const Outcome npy = run_program("eval " + (folder / "run/embeddings.npy").string() + probe);
  ASSERT_EQ(npy.exit_code, 0) << npy.err;
  EXPECT_EQ(json::parse(npy.out)["values"], result["values"]);
}

TEST(EvalCommand, SaysWhenThereAreNoLabelsOrOtherNodes) {
  const TempFolder folder;
  ASSERT_EQ(train(folder / "run", "--epochs 1").exit_code, 0);
  const Outcome run =
      run_program("eval " + (folder / "run/embeddings.npy").string() + " sbm:nodes=50,features=16");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("400 rows for 50 nodes"));
}

TEST(TrainCommand, UnknownPresetAndConfigKeyNameTheNearest) {
  const TempFolder folder;
  EXPECT_THAT(train(folder / "a", "--preset phto").err, HasSubstr("did you mean 'photo'"));
  write_text(folder / "c.json", "{\"epoch\": 3}");
  const Outcome run = train(folder / "b", "--config " + (folder / "c.json").string());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("did you mean 'epochs'"));
}

TEST(TrainCommand, CommandLineWinsOverConfigAndConfigOverPreset) {
  const TempFolder folder;
  write_text(folder / "c.json", "{\"gamma\": 3, \"layers\": 1}");
  const std::string config =
      "--preset photo --config " + (folder / "c.json").string() + " --layers 3 --epochs 1";
  ASSERT_EQ(train(folder / "run", config).exit_code, 0);
  const json options = json::parse(read_text(folder / "run/options.json"))["options"];
  EXPECT_EQ(options["layers"], 3);
  EXPECT_EQ(options["gamma"], 3);
  EXPECT_EQ(options["dropout"], 0.4124);
}

// Starts a training in a child process and returns its id.
pid_t start_training(const fs::path& run, bool resume) {
  const std::string program = GS_TEST_BINARY_DIR "/graphsurgeon", target = run.string();
  const pid_t child = fork();
  if (child == 0) {
    freopen("/dev/null", "w", stderr);
    freopen("/dev/null", "w", stdout);
    execl(program.c_str(), program.c_str(), "train", kGraph, "-o", target.c_str(), "--aug-dim",
          "24", "--dim", "8", "--lr", "0.01", "--quiet", "--threads", "1", "--epochs", "150",
          "--checkpoint-every", "3", resume ? "--resume" : "--overwrite", nullptr);
    _exit(127);
  }
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Every line of metrics.jsonl without the values that differ from run to run.
std::vector<json> metrics(const fs::path& run) {
  std::vector<json> lines;
  std::istringstream text(read_text(run / "metrics.jsonl"));
  for (std::string line; std::getline(text, line);) {
    lines.push_back(json::parse(line));
    lines.back().erase("seconds");
    lines.back().erase("peak_mib");
  }
  return lines;
}

int64_t lines_of(const fs::path& run) {
  const std::string text = read_text(run / "metrics.jsonl");
  return std::count(text.begin(), text.end(), '\n');
}

// Whether a file of that name is being written: AtomicFile's temporary file is beside it.
bool is_writing(const fs::path& run, const std::string& name) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run, error))
    if (entry.path().filename().string().starts_with("." + name + ".tmp-")) return true;
  return false;
}

// Waits for `moment` or the child's end, then kills it. False if it had ended by itself.
bool kill_at(pid_t child, const std::function<bool()>& moment) {
  int status = 0;
  while (!moment()) {
    if (waitpid(child, &status, WNOHANG) == child) {
      EXPECT_EQ(status, 0) << "a resumed run was refused";
      return false;
    }
    usleep(200);
  }
  kill(child, SIGKILL);
  return WIFSIGNALED(wait_for(child));
}

TEST(TrainCommand, KilledAtAnyMomentItResumesToTheSameBytes) {
  const TempFolder folder;
  const fs::path run = folder / "run";
  ASSERT_EQ(wait_for(start_training(folder / "whole", false)), 0);
  Random random(11);
  int killed = 0, while_writing = 0;
  const auto attempt = [&](const std::function<bool()>& moment) {
    const bool dead = kill_at(start_training(run, killed > 0), moment);
    killed += dead;
    while_writing += dead && is_writing(run, "state.safetensors");
    return dead;
  };
  // Before there is anything, then at random moments of each fifth of the run, every second time
  // the next time that a checkpoint is being written.
  ASSERT_TRUE(attempt([&, start = 0]() mutable { return ++start > 200; }));
  for (int part = 0; part < 5; ++part) {
    const auto epoch = static_cast<int64_t>(30 * part + random.below(30));
    useconds_t pause = static_cast<useconds_t>(random.below(8000));
    const bool dead = attempt([&] {
      if (lines_of(run) <= epoch) return false;
      if (part % 2 == 0) return is_writing(run, "state.safetensors");
      usleep(std::exchange(pause, 0));
      return true;
    });
    ASSERT_TRUE(dead || part == 4) << "it ended before epoch " << epoch;
  }
  // And while the results are being written.
  attempt(
      [&] { return is_writing(run, "model.safetensors") || is_writing(run, "embeddings.npy"); });
  EXPECT_GE(killed, 5);
  EXPECT_GT(while_writing, 0);
  ASSERT_EQ(wait_for(start_training(run, true)), 0);
  for (const char* name : {"embeddings.npy", "model.safetensors", "options.json"})
    EXPECT_EQ(read_text(run / name), read_text(folder / "whole" / name)) << name;
  EXPECT_EQ(metrics(run), metrics(folder / "whole"));
  for (const auto& entry : fs::directory_iterator(run))
    EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos) << entry.path();
}

TEST(TrainCommand, AnInterruptIsExitFourAndResumable) {
  const TempFolder folder;
  const pid_t child = start_training(folder / "run", false);
  for (int i = 0; i < 800 && read_text(folder / "run/metrics.jsonl").empty(); ++i) usleep(5000);
  kill(child, SIGINT);
  const int status = wait_for(child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_EQ(WEXITSTATUS(wait_for(start_training(folder / "run", true))), 0);
}

// An option of training asks for a training; one of the data or of the solver does not.
TEST(TrainCommand, SolvesUnlessAnOptionOfTrainingIsSet) {
  const TempFolder folder;
  const auto method_of = [&](const std::string& options) {
    const Outcome out = run_program("train " + std::string(kGraph) + " -o " +
                                    (folder / "run").string() + " --overwrite --json " + options);
    EXPECT_EQ(out.exit_code, 0) << out.err;
    return json::parse(out.out).at("method").get<std::string>();
  };
  EXPECT_EQ(method_of(""), "spectral");
  EXPECT_EQ(method_of("--seed 3 --dim 20 --row-transform unit --hops 4"), "spectral");
  EXPECT_EQ(method_of("--epochs 2"), "graphsurgeon");
  EXPECT_EQ(method_of("--mode pre --epochs 1"), "graphsurgeon");
  EXPECT_EQ(method_of("--method graphsurgeon --epochs 0"), "graphsurgeon");
  EXPECT_EQ(method_of("--preset photo --epochs 1"), "graphsurgeon");
}

TEST(TrainCommand, ASolvedRunIsEmbeddedResumedAndScoredLikeATrainedOne) {
  const TempFolder folder;
  const std::string run = (folder / "run").string(), data(kGraph);
  const Outcome solved = run_program("train " + data + " -o " + run);
  ASSERT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_THAT(solved.out, HasSubstr("spectral solved in"));
  const std::string before = read_text(folder / "run/embeddings.npy");
  ASSERT_EQ(
      run_program("embed " + run + " " + data + " -o " + (folder / "z.npy").string()).exit_code, 0);
  EXPECT_EQ(read_text(folder / "z.npy"), before);
  ASSERT_EQ(run_program("train " + data + " -o " + run + " --resume").exit_code, 0);
  EXPECT_EQ(read_text(folder / "run/embeddings.npy"), before);
  const Outcome scores = run_program("eval " + run + " " + data + " --probe-epochs 5");
  EXPECT_EQ(scores.exit_code, 0) << scores.err;
  EXPECT_THAT(scores.out, HasSubstr("solved"));
  const std::string inspect = "inspect " + run + " " + data;
  EXPECT_EQ(run_program(inspect + " --agreement " + (folder / "a.npy").string()).exit_code, 2);
  EXPECT_THAT(run_program(inspect).out, HasSubstr("Leading directions of pagerank:0.1@2"));
  const auto found = nlohmann::json::parse(run_program(inspect + " --json --top 4 --quiet").out);
  ASSERT_EQ(found.at("filters").size(), 3u);
  double shares = found.at("magnitudes_share").get<double>();
  for (const auto& filter : found.at("filters")) {
    shares += filter.at("share").get<double>();
    ASSERT_FALSE(filter.at("leading").empty());
    EXPECT_EQ(std::abs(filter["leading"][0]["features"][0]["weight"].get<double>()), 1);
  }
  EXPECT_NEAR(shares, 1, 1e-6);
}

}  // namespace
}  // namespace gs::test
