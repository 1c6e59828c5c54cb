// bench, run as a user runs it, on a real dataset where there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(BenchCommand, MakesATableAndGoesOnWhereItStopped) {
  GS_NEEDS_SHARED_DATA();
  const TempFolder folder;
  const std::string command = "bench actor=graphsurgeon --quick --runs 1 --json --data-root " +
                              shared_data().string() + " -o " + (folder / "out").string();
  const Outcome first = run_program(command);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const json rows = json::parse(first.out)["rows"];
  ASSERT_EQ(rows.size(), 1);
  for (const char* key : {"method", "dataset", "metric", "mean", "std", "paper", "ms_per_epoch",
                          "peak_mib", "seconds"})
    EXPECT_TRUE(rows[0].contains(key)) << key;
  EXPECT_GT(rows[0]["mean"].get<double>(), 22);  // chance is 20
  EXPECT_DOUBLE_EQ(rows[0]["paper"].get<double>(), 30.19);
  EXPECT_TRUE(fs::exists(folder / "out" / "bench.md"));
  EXPECT_FALSE(fs::exists(folder / "out" / "work" / "graphsurgeon-actor"));

  const Outcome again = run_program(command);  // every cell is known: the very same row
  EXPECT_EQ(json::parse(again.out)["rows"], rows);
}

TEST(BenchCommand, ACellThatWasBegunWithOtherOptionsBeginsAnew) {
  GS_NEEDS_SHARED_DATA();
  const TempFolder folder;
  const fs::path work = folder / "out" / "work" / "untrained-actor";
  fs::create_directories(work);
  ASSERT_EQ(run_program("train actor --method untrained --dim 8 --quiet --data-root " +
                        shared_data().string() + " -o " + (work / "run").string())
                .exit_code,
            0);
  write_text(work / "config.json", R"({"options": {"dim": 8}})");
  const Outcome run = run_program("bench actor=untrained --quick --runs 1 --json --data-root " +
                                  shared_data().string() + " -o " + (folder / "out").string());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(json::parse(run.out)["rows"][0].contains("mean")) << run.out;
}

TEST(BenchCommand, DataThatIsNotHereIsNamed) {
  const TempFolder folder;
  const Outcome run = run_program("bench photo=graphsurgeon --data-root " + folder.path().string() +
                                  " -o " + (folder / "out").string());
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("photo"));
  EXPECT_THAT(run.err, HasSubstr("data fetch"));
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(BenchCommand, AnUnknownMethodNamesTheNearest) {
  const Outcome run = run_program("bench photo=graphsurgeom");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("graphsurgeon"));
}

}  // namespace
}  // namespace gs::test
