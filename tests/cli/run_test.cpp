// A run folder tells its own story: show, the model card, and what commands say of a run that did
// not finish. And train as the first thing that a user types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGraph = "sbm:nodes=200,classes=3,features=16,seed=3";
constexpr const char* kTraining = " --method graphsurgeon --aug-dim 12 --dim 8 --epochs 3 --quiet";

class Run : public testing::Test {
 protected:
  std::string path(const std::string& name = "run") const { return (folder_ / name).string(); }
  Outcome train(const std::string& more = {}, const std::string& data = kGraph) const {
    return run_program("train " + data + " -o " + path() + " " + more);
  }
  // A run whose training was stopped: no model, and a record that says so.
  void stop(const std::string& reason, const std::string& hint) const {
    ASSERT_EQ(train(kTraining).exit_code, 0);
    fs::remove(folder_ / "run/model.safetensors");
    json record = json::parse(read_text(folder_ / "run/run.json"));
    record["state"] = "stopped", record["epoch"] = 2;
    record["reason"] = reason, record["hint"] = hint;
    write_text(folder_ / "run/run.json", record.dump());
  }

  TempFolder folder_;
};

TEST_F(Run, RemembersWhatItWasMadeFrom) {
  write_text(folder_ / "web/edges.csv", "a,b\nb,c\nc,d\nd,a\n");
  write_text(folder_ / "web/features.csv", "id,x,y\na,1,2\nb,3,1\nc,0,1\nd,2,2\n");
  const Outcome trained = train("--threads 2", path("web"));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const json found = json::parse(run_program("show " + path() + " --json").out);
  EXPECT_EQ(found["finished"], true);
  EXPECT_EQ(found["data"]["path"], fs::canonical(folder_ / "web").string());
  EXPECT_EQ(found["data"]["content"].get<std::string>().size(), 32u);
  EXPECT_EQ(found["data"]["undirected"], true);
  EXPECT_EQ(found["embeddings"]["rows"], 4);
  EXPECT_EQ(found["threads"], 2);
  EXPECT_EQ(found["description"]["nodes"], 4);
  for (const char* key : {"version", "libtorch", "cpu", "date"})
    EXPECT_FALSE(found[key].get<std::string>().empty()) << key;
  EXPECT_GT(found["seconds"].get<double>(), 0);
  const std::string text = run_program("show " + path()).out;
  EXPECT_THAT(text, AllOf(HasSubstr("spectral, solved"), HasSubstr("undirected"),
                          HasSubstr("2 threads"), HasSubstr("graphsurgeon train")));
  // Other content has another hash.
  write_text(folder_ / "web/features.csv", "id,x,y\na,1,2\nb,3,1\nc,0,1\nd,2,3\n");
  ASSERT_EQ(train("--overwrite", path("web")).exit_code, 0);
  const json again = json::parse(run_program("show " + path() + " --json").out);
  EXPECT_NE(again["data"]["content"], found["data"]["content"]);
}

// The command that `show` prints makes the same run again.
TEST_F(Run, TheCommandThatIsShownRepeatsIt) {
  ASSERT_EQ(train(std::string(kTraining) + " --asymmetric --gamma 0.5 --seed 7").exit_code, 0);
  const json found = json::parse(run_program("show " + path() + " --json").out);
  std::string command = found["command"];
  ASSERT_TRUE(command.starts_with("graphsurgeon train ")) << command;
  command = command.substr(13) + " --overwrite --quiet";
  const std::string before = read_text(folder_ / "run/embeddings.npy");
  fs::remove(folder_ / "run/embeddings.npy");
  ASSERT_EQ(run_program(command).exit_code, 0) << command;
  EXPECT_EQ(read_text(folder_ / "run/embeddings.npy"), before) << command;
}

TEST_F(Run, HasACardThatEvalCompletesAndThatKeepsTheUsersOwn) {
  ASSERT_EQ(train("--quiet").exit_code, 0);
  const fs::path card = folder_ / "run/README.md";
  EXPECT_THAT(read_text(card), AllOf(HasSubstr("# Node embeddings of sbm:nodes=200"),
                                     HasSubstr("None yet."), HasSubstr("GraphSurgeon.load")));
  ASSERT_EQ(run_program("eval " + path() + " " + kGraph + " --num-splits 2 --quiet").exit_code, 0);
  EXPECT_THAT(read_text(card), AllOf(HasSubstr("| raw features | "), HasSubstr("| this run | "),
                                     HasSubstr("accuracy over 2 splits"), Not(HasSubstr("None"))));
  EXPECT_THAT(run_program("show " + path()).out, HasSubstr("this run"));
  write_text(card, "my notes\n");
  ASSERT_EQ(run_program("eval " + path() + " " + kGraph + " --num-splits 2 --quiet").exit_code, 0);
  EXPECT_EQ(read_text(card), "my notes\n");
  ASSERT_EQ(train("--quiet --overwrite").exit_code, 0);
  EXPECT_EQ(read_text(card), "my notes\n");
}

TEST_F(Run, ThatStoppedSaysSoInEveryCommand) {
  stop("interrupted", "");
  for (const std::string& command :
       {"embed " + path() + " " + kGraph + " -o " + path("z.csv"), "eval " + path() + " " + kGraph,
        "inspect " + path() + " " + kGraph, "nearest " + path() + " 3",
        "train " + std::string(kGraph) + " -o " + path("other") + " --epochs 1 --init " + path()}) {
    const Outcome out = run_program(command);
    EXPECT_EQ(out.exit_code, 3) << command;
    EXPECT_THAT(out.err, HasSubstr("this run stopped at epoch 2 of 3: interrupted")) << command;
    EXPECT_THAT(out.err,
                AllOf(HasSubstr("continue it with 'graphsurgeon train"), HasSubstr("--resume'")))
        << command;
  }
  const Outcome shown = run_program("show " + path());
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.out, HasSubstr("this run stopped at epoch 2 of 3"));
  // And the way on works as it is printed.
  const json found = json::parse(run_program("show " + path() + " --json").out);
  const Outcome on =
      run_program(found["command"].get<std::string>().substr(13) + " --resume --quiet");
  EXPECT_EQ(on.exit_code, 0) << on.err;
  EXPECT_EQ(json::parse(run_program("show " + path() + " --json").out)["finished"], true);
}

TEST_F(Run, ThatCollapsedSaysWhyAndWhatToTry) {
  const Outcome out = train(
      " --method graphsurgeon --gamma 0 --epochs 60 --lr 0.1 --rank-every 1 "
      "--dim 8 --aug-dim 8 --dropout 0 --quiet");
  if (out.exit_code == 0) GTEST_SKIP() << "this training does not collapse";
  ASSERT_EQ(out.exit_code, 3) << out.err;
  const Outcome later = run_program("embed " + path() + " " + kGraph + " -o " + path("z.csv"));
  EXPECT_EQ(later.exit_code, 3);
  EXPECT_THAT(later.err, AllOf(HasSubstr("this run stopped at epoch"), HasSubstr("of 60"),
                               HasSubstr("hint: ")));
  EXPECT_THAT(later.err, Not(HasSubstr("model.safetensors")));
}

TEST_F(Run, ThatWasKilledSaysWhereItEnded) {
  stop("", "");
  json record = json::parse(read_text(folder_ / "run/run.json"));
  record["state"] = "training";
  write_text(folder_ / "run/run.json", record.dump());
  EXPECT_THAT(run_program("nearest " + path() + " 3").err,
              HasSubstr("this run ended at epoch 3 of 3 before it was finished"));
  const Outcome none = run_program("nearest " + path("nothing") + " 3");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("no such run folder"));
}

// A run that was written before records opens as before.
TEST_F(Run, WithoutARecordIsShownAndUsed) {
  ASSERT_EQ(train("--quiet").exit_code, 0);
  fs::remove(folder_ / "run/run.json");
  fs::remove(folder_ / "run/README.md");
  EXPECT_EQ(run_program("show " + path()).exit_code, 0);
  EXPECT_EQ(run_program("nearest " + path() + " 3").exit_code, 0);
  write_text(folder_ / "run/run.json", "{\"state\": 3}");
  const Outcome damaged = run_program("show " + path());
  EXPECT_EQ(damaged.exit_code, 3);
  EXPECT_THAT(damaged.err, HasSubstr("run.json: is not a run's record"));
}

TEST_F(Run, ShowAndNearestDoNotLoadTorch) {
  ASSERT_EQ(train("--quiet").exit_code, 0);
  for (const std::string& command : {"show " + path(), "nearest " + path() + " 3"}) {
    const Outcome out = run_program(command, "LD_DEBUG=files");
    EXPECT_EQ(out.exit_code, 0);
    EXPECT_THAT(out.err, Not(HasSubstr("libtorch"))) << command;
  }
}

TEST_F(Run, TrainSaysWhichGraphItTookAndWhatToTypeNext) {
  write_text(folder_ / "web.csv", "a,b\nb,c\nc,d\nd,a\n");
  const std::string web = path("web.csv") + " --make-features degree";
  const Outcome undirected = train("", web);
  ASSERT_EQ(undirected.exit_code, 0) << undirected.err;
  EXPECT_THAT(undirected.err, AllOf(HasSubstr("4 nodes, 8 stored edges (undirected)"),
                                    HasSubstr("--symmetrize no")));
  EXPECT_THAT(undirected.out, AllOf(HasSubstr("embeddings of 4 nodes x "),
                                    HasSubstr("next: graphsurgeon nearest " + path() + " a")));
  const Outcome directed = train("--overwrite --symmetrize no", web);
  EXPECT_THAT(directed.err, HasSubstr("4 nodes, 4 stored edges (directed)"));
  const Outcome labeled = train("--overwrite");
  EXPECT_THAT(labeled.out, HasSubstr("next: graphsurgeon eval " + path() + " " + kGraph));
}

TEST_F(Run, WithoutANameGoesToTheNextFreeFolderOfRuns) {
  write_text(folder_ / "web/edges.csv", "a,b\nb,c\nc,d\nd,a\n");
  const std::string program = GS_TEST_BINARY_DIR "/graphsurgeon";
  const auto in_folder = [&](const std::string& arguments) {
    return std::system(
        ("cd '" + path("") + "' && '" + program + "' " + arguments + " --quiet > out 2>&1")
            .c_str());
  };
  const std::string train = "train web/edges.csv --make-features degree";
  ASSERT_EQ(in_folder(train), 0) << read_text(folder_ / "out");
  EXPECT_THAT(read_text(folder_ / "out"), HasSubstr("wrote runs/web-1"));
  ASSERT_EQ(in_folder(train), 0);
  ASSERT_EQ(in_folder("train sbm:nodes=50"), 0);
  for (const char* run : {"web-1", "web-2", "sbm-1"})
    EXPECT_TRUE(fs::exists(folder_ / "runs" / run / "embeddings.npy")) << run;
  EXPECT_NE(in_folder(train + " --resume"), 0);
  EXPECT_THAT(read_text(folder_ / "out"), HasSubstr("--resume: needs the name of a run"));
}

TEST_F(Run, APlanPredictsMemoryBatchesAndTimeAndWritesNothing) {
  for (const char* options : {"", "--method graphsurgeon --epochs 5 --loader neighbor",
                              "--method gcn --epochs 5 --num-splits 2", "--method smoothed"}) {
    SCOPED_TRACE(options);
    const Outcome text = train(std::string(options) + " --plan");
    ASSERT_EQ(text.exit_code, 0) << text.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("memory"), HasSubstr("MiB"), HasSubstr("batches"),
                                HasSubstr("nothing was trained")));
    EXPECT_FALSE(fs::exists(folder_ / "run"));
  }
  const json found = json::parse(
      train("--method graphsurgeon --epochs 50 --loader neighbor --batch-size 50 --plan --json")
          .out);
  EXPECT_EQ(found["batches"], 4);
  EXPECT_NEAR(found["seconds"].get<double>(), 50 * found["seconds_per_epoch"].get<double>(), 1e-6);
  EXPECT_GT(found["memory_mib"].get<double>(), 1);
  const Outcome tight = train("--method graphsurgeon --epochs 2 --memory 10 --plan");
  EXPECT_EQ(tight.exit_code, 3);
  EXPECT_THAT(tight.err, HasSubstr("but only 10 are available"));
}

TEST_F(Run, DoctorUsesTheInstallation) {
  const Outcome out = run_program("doctor");
  EXPECT_EQ(out.exit_code, 0) << out.out << out.err;
  EXPECT_THAT(out.out, AllOf(HasSubstr("libtorch"), HasSubstr("processor"), HasSubstr("works"),
                             HasSubstr("datasets")));
  EXPECT_EQ(json::parse(run_program("doctor --json").out)["embedding"]["fine"], true);
}

}  // namespace
}  // namespace gs::test
