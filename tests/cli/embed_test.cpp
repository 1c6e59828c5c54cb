// embed and nearest, run as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

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

TEST(NearestCommand, ByOriginalIdAndByNumber) {
  const TempFolder folder;
  write_text(folder / "data/edges.csv", "source,target\nann,bob\nbob,cy\ncy,ann\ncy,\"d,d\"\n");
  write_text(folder / "data/features.csv", "id,x,y\nann,1,0\nbob,0,1\ncy,1,1\n\"d,d\",0.5,0\n");
  const std::string data = (folder / "data").string(), run = (folder / "run").string();
  ASSERT_EQ(run_program("train " + data + " -o " + run + " --aug-dim 8 --dim 4 --epochs 2 --quiet")
                .exit_code,
            0);
  const auto near = [&](const std::string& source, const std::string& more) {
    return run_program("nearest " + source + " " + more);
  };
  const json by_id = result_of(near(run, "bob -k 2 --json"));
  ASSERT_EQ(by_id["neighbors"].size(), 2u);
  EXPECT_EQ(result_of(near(run, "'#1' -k 2 --json"))["neighbors"], by_id["neighbors"]);
  // From a file of embeddings, with the ids beside it.
  const std::string z = (folder / "z.npy").string();
  ASSERT_EQ(run_program("embed " + run + " " + data + " -o " + z).exit_code, 0);
  EXPECT_EQ(result_of(near(z, "bob -k 2 --json"))["neighbors"], by_id["neighbors"]);
  const Outcome unknown = near(run, "bobb");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no node has the id 'bobb'; did you mean 'bob'?"));
  const std::string csv = (folder / "near.csv").string();
  ASSERT_EQ(near(run, "bob -o " + csv).exit_code, 0);
  EXPECT_THAT(read_text(csv), HasSubstr("id,node,cosine\n"));
  EXPECT_THAT(read_text(csv), HasSubstr("\n\"d,d\",3,"));
  EXPECT_EQ(near(run, "bob -o " + csv).exit_code, 3) << "an existing file is kept";
  EXPECT_EQ(near(run, "bob -o " + (folder / "near.npy").string()).exit_code, 2);
  EXPECT_THAT(run_program("embed " + run + " " + data + " --nearest bob").err,
              HasSubstr("graphsurgeon nearest RUN NODE"));
}

// All embeddings share a large part: plain cosines are 0.9 and more here.
TEST(NearestCommand, SimilaritiesMeanSomething) {
  const TempFolder folder;
  const std::string run = (folder / "run").string();
  ASSERT_EQ(run_program("train " + std::string(kGraph) + " -o " + run +
                        " --aug-dim 24 --dim 8 --epochs 4 --quiet --threads 1")
                .exit_code,
            0);
  const json r = result_of(run_program("nearest " + run + " 299 --json -k 299"));
  ASSERT_EQ(r["neighbors"].size(), 299u);
  EXPECT_GT(r["neighbors"][0]["cosine"].get<double>(), 0.9);
  EXPECT_LT(r["neighbors"][298]["cosine"].get<double>(), -0.5);
  double sum = 0;
  for (const json& n : r["neighbors"]) sum += n["cosine"].get<double>();
  EXPECT_LT(sum / 299, 0.3) << "other nodes are unrelated on average";
  const Outcome beyond = run_program("nearest " + run + " 300");
  EXPECT_EQ(beyond.exit_code, 2);
  EXPECT_THAT(beyond.err, HasSubstr("nodes are 0 to 299"));
  EXPECT_EQ(run_program("embed " + run + "/embeddings.npy " + kGraph + " -o " +
                        (folder / "z.npy").string())
                .exit_code,
            2)
      << "there is nothing to embed with";
}

// The rows of a .csv of embeddings by the nodes' ids.
std::map<std::string, std::vector<double>> rows_of(const fs::path& csv) {
  std::map<std::string, std::vector<double>> out;
  std::istringstream lines(read_text(csv));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string id, field;
    std::getline(fields, id, ',');
    while (std::getline(fields, field, ',')) out[id].push_back(std::stod(field));
  }
  return out;
}

// A long thin graph: three communities in a row, so that neighborhoods are small.
void write_ladder(const fs::path& folder, int64_t nodes) {
  std::string edges = "source,target\n", features = "id,a,b,c\n";
  for (int64_t v = 0; v < nodes; ++v) {
    if (v + 1 < nodes) edges += fmt::format("n{},n{}\n", v, v + 1);
    if (v + 3 < nodes && v % 5 == 0) edges += fmt::format("n{},n{}\n", v, v + 3);
    features += fmt::format("n{},{},{},{}\n", v, v % 7, (v * v) % 11, v * 3 / nodes);
  }
  write_text(folder / "edges.csv", edges);
  write_text(folder / "features.csv", features);
}

TEST(EmbedNodes, EqualTheRowsOfTheWholeGraphInTheOrderOfTheList) {
  const TempFolder folder;
  write_ladder(folder / "data", 400);
  const std::string data = (folder / "data").string(), run = (folder / "run").string(),
                    list = (folder / "list.txt").string();
  const std::vector<int64_t> nodes{399, 7, 0, 200, 201, 3};
  std::string text;
  for (const int64_t v : nodes) text += fmt::format("n{}\n", v);
  write_text(list, text);
  const std::string trained = " --epochs 3 --aug-dim 12 --dim 6 ";
  const std::vector<std::string> settings{
      "",
      "--hops 0 --filters own",
      "--row-transform unit",
      "--row-transform powers",
      "--method smoothed",
      "--method diffused",
      "--method graphsurgeon" + trained + "--layers 2 --mode pre",
      "--method graphsurgeon" + trained + "--layers 1 --mode post --skip sum",
      "--method graphsurgeon" + trained + "--layers 2 --encoder sage --skip linear --norm batch",
      "--method dgi --epochs 2 --dim 6",
      "--method mvgrl --epochs 2 --dim 6",
      "--method bgrl --epochs 2 --dim 6 --layers 3"};
  for (const std::string& options : settings) {
    SCOPED_TRACE(options);
    const Outcome done =
        run_program("train " + data + " -o " + run + " --overwrite --quiet " + options);
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const fs::path whole = folder / "whole.csv", some = folder / "some.csv";
    const std::string embed = "embed " + run + " " + data + " --quiet --overwrite -o ";
    ASSERT_EQ(run_program(embed + whole.string()).exit_code, 0);
    const Outcome part = run_program(embed + some.string() + " --nodes " + list);
    ASSERT_EQ(part.exit_code, 0) << part.err;
    const auto all = rows_of(whole), found = rows_of(some);
    ASSERT_EQ(found.size(), nodes.size());
    EXPECT_THAT(read_text(some), testing::ContainsRegex("z[0-9]+\nn399,")) << "first in the list";
    double largest = 0;
    for (const auto& [id, row] : all)
      for (const double value : row) largest = std::max(largest, std::abs(value));
    for (const int64_t v : nodes) {
      const std::string id = fmt::format("n{}", v);
      ASSERT_TRUE(found.contains(id)) << id;
      for (size_t c = 0; c < all.at(id).size(); ++c)
        EXPECT_NEAR(found.at(id)[c], all.at(id)[c], 1e-5 * largest) << id;
    }
  }
}

TEST(EmbedNodes, OfABadListAreRefusedAndNothingIsWritten) {
  const TempFolder folder;
  write_ladder(folder / "data", 40);
  const std::string data = (folder / "data").string(), run = (folder / "run").string();
  ASSERT_EQ(run_program("train " + data + " -o " + run + " --quiet").exit_code, 0);
  write_text(folder / "list.txt", "n3\nn40\n");
  const Outcome out =
      run_program("embed " + run + " " + data + " --nodes " + (folder / "list.txt").string() +
                  " -o " + (folder / "z.csv").string());
  EXPECT_EQ(out.exit_code, 3);
  EXPECT_THAT(out.err, HasSubstr("list.txt:2"));
  EXPECT_THAT(out.err, HasSubstr("no node has the id 'n40'"));
  EXPECT_FALSE(fs::exists(folder / "z.csv"));
}

TEST(Embed, ParquetIsRefusedWithAWayToIt) {
  const Outcome out = run_program("embed run data -o z.parquet");
  EXPECT_EQ(out.exit_code, 2);
  EXPECT_THAT(out.err, HasSubstr("cannot write '.parquet' files"));
  EXPECT_THAT(out.err, HasSubstr("to_parquet('z.parquet')"));
}

// The labels file was of the training data only.
TEST(Embed, NeedsNoFileThatOnlyTrainingNeeded) {
  const TempFolder folder;
  write_ladder(folder / "data", 30);
  std::string labels = "id,label\n";
  for (int v = 0; v < 30; ++v) labels += fmt::format("n{},{}\n", v, v % 2);
  write_text(folder / "known.csv", labels);
  write_ladder(folder / "other", 20);
  const std::string run = (folder / "run").string(), data = (folder / "data").string(),
                    file = (folder / "known.csv").string();
  ASSERT_EQ(
      run_program("train " + data + " -o " + run + " --labels-file " + file + " --quiet").exit_code,
      0);
  const auto embeds = [&](const std::string& graph) {
    const Outcome out = run_program("embed " + run + " " + (folder / graph).string() +
                                    " --overwrite --quiet -o " + (folder / "z.csv").string());
    EXPECT_EQ(out.exit_code, 0) << out.err;
  };
  embeds("other");
  fs::remove(folder / "known.csv");
  embeds("data");
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
    EXPECT_THAT(refused.err, testing::AnyOf(HasSubstr(".npy, .csv"), HasSubstr("to_parquet")));
    EXPECT_FALSE(std::filesystem::exists(folder / name));
  }
}

}  // namespace
}  // namespace gs::test
