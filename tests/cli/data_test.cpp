// The data commands, run as a user runs them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json info(const std::string& data) {
  const Outcome run =
      run_program("data info --json " + data, "GRAPHSURGEON_DATA=" + shared_data().string());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.exit_code == 0 ? json::parse(run.out) : json::object();
}

struct Known {
  const char* name;
  int64_t nodes, edges, features, classes;
};
void PrintTo(const Known& known, std::ostream* out) { *out << known.name; }

class PaperCounts : public testing::TestWithParam<Known> {};

TEST_P(PaperCounts, AreWhatTheFilesGive) {
  GS_NEEDS_SHARED_DATA();
  const Known& known = GetParam();
  const json found = info(known.name);
  EXPECT_EQ(found["nodes"], known.nodes);
  EXPECT_EQ(found["edges"], known.edges);
  EXPECT_EQ(found["features"], known.features);
  EXPECT_EQ(found["classes"], known.classes);
  EXPECT_EQ(found["task"], "mcc");
}

INSTANTIATE_TEST_SUITE_P(
    Real, PaperCounts,
    testing::Values(Known{"photo", 7650, 238162, 745, 8}, Known{"cs", 18333, 163788, 6805, 15},
                    Known{"dblp", 17716, 105734, 1639, 4}, Known{"pubmed", 19717, 88648, 500, 3},
                    Known{"actor", 7600, 30019, 932, 5}, Known{"facebook", 22470, 341646, 4714, 4}),
    [](const auto& p) { return std::string(p.param.name); });

TEST(DataCommand, ConvertCanReorderAndKeepsTheOriginalIds) {
  const TempFolder folder;
  const std::string out = (folder / "by_degree").string();
  const Outcome run = run_program(
      "data convert sbm:nodes=300,classes=3,features=4 --reorder degree --quiet -o " + out);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json before = info("sbm:nodes=300,classes=3,features=4"), after = info(out);
  for (const char* same : {"nodes", "edges", "features", "classes"})
    EXPECT_EQ(before[same], after[same]) << same;
}

TEST(DataCommand, ActorHasItsTenSplits) {
  GS_NEEDS_SHARED_DATA();
  EXPECT_EQ(info("actor")["splits"], 10);
}

TEST(DataCommand, OverridesWinOverTheCatalog) {
  GS_NEEDS_SHARED_DATA();
  EXPECT_EQ(info("photo --symmetrize no --self-loops keep")["edges"], 143663);
  EXPECT_EQ(info("actor --self-loops drop")["edges"], 30019 - 93);
}

TEST(DataCommand, ConvertThenInfoReportsTheSame) {
  GS_NEEDS_SHARED_DATA();
  const TempFolder folder;
  const std::string target = (folder / "photo").string();
  const Outcome run =
      run_program("data convert photo -o " + target, "GRAPHSURGEON_DATA=" + shared_data().string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json before = info("photo"), after = info(target);
  for (const char* key : {"nodes", "edges", "features", "classes", "components", "isolated",
                          "class_counts", "raw_edges", "dropped"})
    EXPECT_EQ(before[key], after[key]) << key;
}

TEST(DataCommand, GenerateIsTheSameOnAnyNumberOfThreads) {
  const TempFolder folder;
  for (const char* threads : {"1", "2", "5"}) {
    const Outcome run = run_program(std::string("data generate --nodes 2000 --seed 7 --threads ") +
                                    threads + " -o " + (folder / threads).string());
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  for (const char* file : {"neighbors.npy", "offsets.npy", "features.npy", "labels.npy"}) {
    const std::string one = read_text(folder / "1" / file);
    EXPECT_FALSE(one.empty());
    EXPECT_EQ(one, read_text(folder / "2" / file)) << file;
    EXPECT_EQ(one, read_text(folder / "5" / file)) << file;
  }
}

TEST(DataCommand, GeneratorAsData) {
  const json found = info("sbm:nodes=500,classes=7,features=16");
  EXPECT_EQ(found["nodes"], 500);
  EXPECT_EQ(found["classes"], 7);
  EXPECT_EQ(found["features"], 16);
}

TEST(DataCommand, ListNamesTheFourteen) {
  const Outcome run = run_program("data list --json");
  ASSERT_EQ(run.exit_code, 0);
  int in_paper = 0;
  const json list = json::parse(run.out);
  for (const auto& row : list["datasets"]) in_paper += row["in_paper"].get<bool>();
  EXPECT_EQ(in_paper, 14);
}

TEST(DataCommand, AnExistingOutputIsKept) {
  const TempFolder folder;
  const std::string target = (folder / "graph").string();
  ASSERT_EQ(run_program("data generate --nodes 100 -o " + target).exit_code, 0);
  const std::string before = read_text(folder / "graph/neighbors.npy");
  const Outcome again = run_program("data generate --nodes 200 -o " + target);
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_THAT(again.err, HasSubstr("--overwrite"));
  EXPECT_EQ(read_text(folder / "graph/neighbors.npy"), before);
  EXPECT_EQ(run_program("data generate --nodes 200 --overwrite -o " + target).exit_code, 0);
  EXPECT_NE(read_text(folder / "graph/neighbors.npy"), before);
}

TEST(DataCommand, ProgressAndNotesStayOffStandardOutput) {
  const Outcome run = run_program("data info sbm:nodes=300 --json");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(json::accept(run.out));
  EXPECT_EQ(run_program("data info sbm:nodes=300 --quiet").err, "");
}

// Expects one line of error, a hint and exit code 3.
void expect_bad_data(const Outcome& run, const std::string& part) {
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr(part));
  EXPECT_THAT(run.err, HasSubstr("hint: "));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 2) << run.err;
  EXPECT_EQ(run.out, "");
}

TEST(BadInput, MissingFileNamesTheNearestDataset) {
  expect_bad_data(run_program("data info phto"), "photo");
}

TEST(BadInput, AbsentDatasetSaysWhatToType) {
  const TempFolder empty;
  const Outcome run = run_program("data info cs --data-root " + empty.path().string());
  expect_bad_data(run, "CS");
  EXPECT_THAT(run.err, HasSubstr("data fetch cs"));
}

TEST(BadInput, TruncatedNpzLeavesNoOutput) {
  GS_NEEDS_SHARED_DATA();
  const TempFolder folder;
  const std::string whole = read_text(shared_data() / "dblp.npz");
  write_text(folder / "cut.npz", whole.substr(0, whole.size() / 2));
  expect_bad_data(run_program("data convert " + (folder / "cut.npz").string() + " -o " +
                              (folder / "out").string()),
                  "cut.npz");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 1);
}

TEST(BadInput, AnEdgeToNowhereNamesItsLine) {
  const TempFolder folder;
  write_text(folder / "edges.csv", "0,1\n1,2\n2,9\n");
  write_text(folder / "features.csv", "1,0,0,1\n0,1,0,1\n1,1,0,0\n");
  expect_bad_data(run_program("data info " + folder.path().string()), "edges.csv:3");
}

TEST(BadInput, AFolderOfNothingKnown) {
  const TempFolder folder;
  write_text(folder / "notes.md", "hello");
  expect_bad_data(run_program("data info " + folder.path().string()), folder.path().string());
}

TEST(BadInput, ControlCharactersOfAFileNeverReachTheTerminal) {
  const TempFolder folder;
  write_text(folder / "edges.csv", "a,b\n\x1b[31mred,c,1,2,3\n");
  const Outcome run = run_program("data info " + (folder / "edges.csv").string());
  EXPECT_NE(run.exit_code, 1);
  EXPECT_THAT(run.err, Not(HasSubstr("\x1b")));
}

TEST(Usage, AMisspelledOptionNamesTheNearest) {
  const Outcome run = run_program("data info photo --symetrize yes");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("did you mean '--symmetrize'"));
}

TEST(Usage, AMisspelledCommandNamesTheNearest) {
  const Outcome run = run_program("dta info photo");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("did you mean 'data'"));
}

TEST(Usage, AWrongValueListsTheRightOnes) {
  const Outcome run = run_program("data info sbm --features binry");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("did you mean 'binary'"));
  EXPECT_THAT(run.err, HasSubstr("standardize"));
}

TEST(Usage, UnknownFormatListsTheFormats) {
  const Outcome run = run_program("data info /dev/null --format gnnbenchmark");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("gnn-benchmark"));
}

TEST(DataCommand, OverwriteKeepsTheInputAndItsNeighbors) {
  const TempFolder folder;
  write_text(folder / "dir/edges.csv", "0,1\n1,2\n");
  write_text(folder / "dir/thesis.txt", "x");
  const std::string dir = (folder / "dir").string();
  expect_bad_data(run_program("data convert " + dir + "/edges.csv --overwrite -o " + dir),
                  "holds the input");
  EXPECT_TRUE(fs::exists(folder / "dir/edges.csv") && fs::exists(folder / "dir/thesis.txt"));
}

TEST(DataCommand, AFileSizeLimitIsAnErrorAndLeavesNothing) {
#ifdef __clang__
  GTEST_SKIP() << "clang's OpenMP runtime maps a shared file at startup, which the limit cuts off";
#endif
  const TempFolder folder;
  const Outcome run = run_program(
      "data generate --nodes 5000 --quiet -o " + (folder / "g").string(), "ulimit -f 8;");
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("file too large"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(DataCommand, ALongNameAndALoopOfLinksAreBadData) {
  const TempFolder folder;
  const std::string name(300, 'x');
  for (const std::string& output : {name, name + "/g"}) {
    const Outcome run =
        run_program("data generate --nodes 50 --quiet -o " + (folder / output).string());
    EXPECT_EQ(run.exit_code, 3) << run.err;
  }
  fs::create_symlink(folder / "a", folder / "a");
  EXPECT_EQ(run_program("data info " + (folder / "a").string()).exit_code, 3);
}

// Shards a small graph into folder/shards; returns that path.
std::string sharded(const TempFolder& folder, const std::string& options = "--shards 4") {
  const std::string out = (folder / "shards").string();
  const Outcome run =
      run_program("data shard sbm:nodes=400,classes=4 --quiet " + options + " -o " + out);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return out;
}

TEST(DataShard, InfoReportsCutHaloAndBalance) {
  const TempFolder folder;
  const std::string out = sharded(folder);
  const json found = info(out + " --verify");
  EXPECT_EQ(found["nodes"], 400);
  EXPECT_EQ(found["edges"], 4000);
  EXPECT_EQ(found["shards"], 4);
  EXPECT_EQ(found["partitioner"], "metis");
  EXPECT_EQ(found["shard_nodes"]["mean"], 100);
  EXPECT_EQ(found["shard_edges"]["mean"], 1000);
  EXPECT_GT(found["shard_halo"]["min"], 0);
  EXPECT_DOUBLE_EQ(found["edge_cut"], found["cut_edges"].get<double>() / 4000);
  EXPECT_LT(found["edge_cut"], 0.5) << "chance is 0.75";
  const Outcome text = run_program("data info " + out);
  for (const char* part : {"4 shards", "edge cut", "shard halo", "shard nodes"})
    EXPECT_THAT(text.out, HasSubstr(part));
}

TEST(DataShard, IsTheSameOnAnyNumberOfThreads) {
  for (const char* partitioner : {"metis", "stream"}) {
    const TempFolder one, two;
    const std::string options = fmt::format("--shards 3 --partitioner {} --threads ", partitioner);
    EXPECT_EQ(info(sharded(one, options + "1"))["hash"], info(sharded(two, options + "2"))["hash"]);
  }
}

TEST(DataShard, ReplacesItsOwnFolderAlone) {
  const TempFolder folder;
  const std::string out = sharded(folder), again = "data shard sbm:nodes=400,classes=4 -o ";
  expect_bad_data(run_program(again + out), "--overwrite");
  EXPECT_EQ(info(sharded(folder, "--shards 3 --overwrite"))["shards"], 3);
  EXPECT_FALSE(fs::exists(folder / "shards/shard-00003"));
  write_text(folder / "shards/shard-00001/notes.txt", "x");
  expect_bad_data(run_program(again + out + " --overwrite"), "shard-00001/notes.txt");
  EXPECT_TRUE(fs::exists(folder / "shards/shard-00001/notes.txt"));
  write_text(folder / "work/shards.json", "{}");
  write_text(folder / "work/thesis/text.txt", "x");
  expect_bad_data(run_program(again + (folder / "work").string() + " --overwrite"),
                  "is not a sharded folder");
  EXPECT_TRUE(fs::exists(folder / "work/thesis/text.txt"));
}

TEST(DataShard, LeavesNothingWhenThePartsDoNotFit) {
  const TempFolder folder;
  const auto complaint = [&](const std::string& parts, const std::string& options = {}) {
    write_text(folder / "parts.txt", parts);
    const Outcome run =
        run_program("data shard sbm:nodes=6,classes=2,degree=2 --parts-file " +
                    (folder / "parts.txt").string() + options + " -o " + (folder / "out").string());
    EXPECT_EQ(run.exit_code, 3) << parts;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
    return run.err;
  };
  EXPECT_THAT(complaint("0\n1\n0\n"), HasSubstr("has 3 parts for 6 nodes"));
  EXPECT_THAT(complaint("0\n1\n0\n0\n0\n0\n0\n"), HasSubstr("more lines than the 6 nodes"));
  EXPECT_THAT(complaint("0\n1\n0\n0\n0\n-1\n"), HasSubstr("parts.txt:6: part -1"));
  EXPECT_THAT(complaint("0\n1\n0\n0\n0\nx\n"), HasSubstr("'x' is not a part number"));
  EXPECT_THAT(complaint("0\n2\n0\n0\n0\n0\n"), HasSubstr("part 1 has no nodes"));
  EXPECT_THAT(complaint("0\n2\n0\n1\n0\n0\n", " --shards 2"), HasSubstr("from 0 to 1"));
}

TEST(DataShard, RefusesMoreShardsThanNodes) {
  const TempFolder folder;
  const Outcome run =
      run_program("data shard sbm:nodes=40,classes=4 -o " + (folder / "out").string());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("64 shards for 40 nodes"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(DataShard, OptionsOfLoadingDoNotApplyToAShardedFolder) {
  const TempFolder folder;
  const Outcome run = run_program("data info --features raw " + sharded(folder));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("does not apply to a sharded folder"));
  const Outcome other = run_program("data info sbm:nodes=50 --verify");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("sharded folder only"));
}

TEST(DataShard, IsNotReadAsOneDataset) {
  const TempFolder folder;
  expect_bad_data(run_program("data convert " + sharded(folder) + " -o " + (folder / "x").string()),
                  "is a sharded dataset");
}

// 82 MB of features in a process that may allocate 40 MB.
TEST(DataShard, HoldsOneShardInMemory) {
  const TempFolder folder;
  const std::string data = (folder / "data").string(), out = (folder / "out").string();
  const Outcome made = run_program(
      "data generate --nodes 20000 --classes 64 --homophily 0.98 --features 1024 --quiet -o " +
      data);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string limit = "prlimit --data=40000000";
  const Outcome run = run_program(
      "data shard " + data + " --shards 16 --partitioner stream --threads 1 --quiet -o " + out,
      limit);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(info(out)["shards"], 16);
  const Outcome copy = run_program("data convert --features row-norm --threads 1 --quiet " + data +
                                       " -o " + (folder / "copy").string(),
                                   limit);
  EXPECT_THAT(copy.err, HasSubstr("out of memory")) << "the limit counts what is allocated";
}

}  // namespace
}  // namespace gs::test
