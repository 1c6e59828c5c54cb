// The nearest nodes of embed, run as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kGraph = "sbm:nodes=300,classes=3,features=16,seed=3";

json result_of(const Outcome& run) {
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.exit_code == 0 ? json::parse(run.out) : json::object();
}

TEST(NearestNodes, ByOriginalIdAndByNumber) {
  const TempFolder folder;
  write_text(folder / "data/edges.csv", "source,target\nann,bob\nbob,cy\ncy,ann\ncy,\"d,d\"\n");
  write_text(folder / "data/features.csv", "id,x,y\nann,1,0\nbob,0,1\ncy,1,1\n\"d,d\",0.5,0\n");
  const std::string data = (folder / "data").string(), run = (folder / "run").string();
  ASSERT_EQ(run_program("train " + data + " -o " + run + " --aug-dim 8 --dim 4 --epochs 2 --quiet")
                .exit_code,
            0);
  const auto near = [&](const std::string& source, const std::string& more) {
    return run_program("embed " + source + " " + data + " --quiet --nearest " + more);
  };
  const json by_id = result_of(near(run, "bob -k 2 --json"));
  ASSERT_EQ(by_id["neighbors"].size(), 2u);
  EXPECT_EQ(result_of(near(run, "'#1' -k 2 --json"))["neighbors"], by_id["neighbors"]);
  // From the file of embeddings, which is mapped: the same, without the model.
  EXPECT_EQ(result_of(near(run + "/embeddings.npy", "bob -k 2 --json"))["neighbors"],
            by_id["neighbors"]);
  const Outcome unknown = near(run, "bobb");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no node has the id 'bobb'; did you mean 'bob'?"));
  const std::string csv = (folder / "near.csv").string();
  ASSERT_EQ(near(run, "bob -o " + csv).exit_code, 0);
  EXPECT_THAT(read_text(csv), HasSubstr("id,node,cosine\n"));
  EXPECT_THAT(read_text(csv), HasSubstr("\n\"d,d\",3,"));
  EXPECT_EQ(near(run, "bob -o " + csv).exit_code, 3) << "an existing file is kept";
  EXPECT_EQ(near(run, "bob -o " + (folder / "near.npy").string()).exit_code, 2);
}

TEST(NearestNodes, OfAGraphWithoutIdsAreNumbers) {
  const TempFolder folder;
  ASSERT_EQ(run_program("train " + std::string(kGraph) + " -o " + (folder / "run").string() +
                        " --aug-dim 24 --dim 8 --epochs 4 --quiet --threads 1")
                .exit_code,
            0);
  const std::string embed = "embed " + (folder / "run").string() + " " + kGraph + " --quiet";
  const json r = result_of(run_program(embed + " --nearest 299 --json"));
  EXPECT_EQ(r["neighbors"].size(), 10u);
  const Outcome beyond = run_program(embed + " --nearest 300");
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_THAT(beyond.err, HasSubstr("nodes are 0 to 299"));
  EXPECT_EQ(run_program("embed " + (folder / "run/embeddings.npy").string() + " " + kGraph +
                        " -o " + (folder / "z.npy").string())
                .exit_code,
            2)
      << "there is nothing to embed with";
}

// A folder of six nodes with two columns of different scales, as a table has them.
std::string table(const TempFolder& folder, const std::string& name, const std::string& features) {
  write_text(folder / (name + "/edges.csv"), "source,target\na,b\nb,c\nc,d\nd,e\ne,f\nf,a\n");
  write_text(folder / (name + "/features.csv"), features);
  return (folder / name).string();
}

constexpr const char* kTable =
    "id,age,income\na,20,1000\nb,30,9000\nc,40,2000\nd,50,8000\ne,60,3000\nf,70,7000\n";

std::string embeddings(const std::string& run, const std::string& data, const std::string& file) {
  const Outcome done = run_program("embed " + run + " " + data + " -o " + file + " --quiet");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  return read_text(file);
}

TEST(Embed, TreatsOtherDataWithTheStatisticsOfTheTrainingData) {
  const TempFolder folder;
  const std::string data = table(folder, "data", kTable), run = (folder / "run").string();
  for (const char* rule : {"auto", "standardize"}) {
    const Outcome trained = run_program("train " + data + " -o " + run + " --features " + rule +
                                        " --filters own --magnitudes 0 --overwrite --quiet");
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const std::string whole = embeddings(run, data, (folder / "whole.csv").string());
    // Three of the nodes alone: own features only, so their rows must be the same.
    write_text(folder / "part/edges.csv", "source,target\na,b\nb,c\n");
    write_text(folder / "part/features.csv", "id,age,income\na,20,1000\nb,30,9000\nc,40,2000\n");
    const std::string part =
        embeddings(run, (folder / "part").string(), (folder / "part.csv").string());
    EXPECT_TRUE(whole.starts_with(part)) << rule << "\n" << whole << part;
    for (const char* file : {"whole.csv", "part.csv"}) std::filesystem::remove(folder / file);
  }
}

TEST(Embed, MatchesFeatureColumnsByName) {
  const TempFolder folder;
  const std::string data = table(folder, "data", kTable), run = (folder / "run").string();
  ASSERT_EQ(run_program("train " + data + " -o " + run + " --quiet").exit_code, 0);
  const std::string turned =
      table(folder, "turned",
            "id,income,age\na,1000,20\nb,9000,30\nc,2000,40\nd,8000,50\ne,3000,60\nf,7000,70\n");
  EXPECT_EQ(embeddings(run, turned, (folder / "turned.csv").string()),
            embeddings(run, data, (folder / "same.csv").string()));
  const std::string other =
      table(folder, "other",
            "id,age,height\na,20,1000\nb,30,9000\nc,40,2000\nd,50,8000\ne,60,3000\nf,70,7000\n");
  const Outcome refused = run_program("embed " + run + " " + other + " -o " +
                                      (folder / "other.csv").string() + " --quiet");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("does not know the feature 'height'"));
  EXPECT_FALSE(std::filesystem::exists(folder / "other.csv"));
}

TEST(Embed, WritesWhatTheSuffixSaysOrRefuses) {
  const TempFolder folder;
  const std::string data = table(folder, "data", kTable), run = (folder / "run").string();
  ASSERT_EQ(run_program("train " + data + " -o " + run + " --quiet").exit_code, 0);
  EXPECT_THAT(embeddings(run, data, (folder / "z.csv").string()), testing::StartsWith("id,z0,z1"));
  EXPECT_THAT(embeddings(run, data, (folder / "z.txt").string()),
              testing::ContainsRegex("^6 [0-9]+\na "));
  for (const char* name : {"z.parquet", "z"}) {
    const Outcome refused =
        run_program("embed " + run + " " + data + " -o " + (folder / name).string() + " --quiet");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr(".npy, .csv"));
    EXPECT_FALSE(std::filesystem::exists(folder / name));
  }
}

}  // namespace
}  // namespace gs::test
