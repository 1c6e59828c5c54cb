// ablate, run as a user runs it, on a real dataset where there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string symmetry_on_actor(const fs::path& folder) {
  return "ablate symmetry --datasets actor --quick --runs 1 --quiet --threads 1 --data-root " +
         shared_data().string() + " -o " + folder.string();
}

TEST(AblateCommand, StoppedItGoesOnFromTheTrainingThatIsDone) {
  GS_NEEDS_SHARED_DATA();
  const TempFolder folder;
  const fs::path out = folder / "out", work = out / "work/symmetry-actor-symmetric";
  const std::string trained = (work / "trained.json").string();
  // Stopped once the first training has ended: within its evaluation, or soon after.
  const Outcome stopped =
      run_program(symmetry_on_actor(out) + " & p=$!; while kill -0 $p && [ ! -e " + trained +
                  " ]; do sleep 0.02; done; cp " + trained + " " + (folder / "told.json").string() +
                  "; kill -TERM $p; wait $p");
  ASSERT_EQ(stopped.exit_code, 4) << stopped.err;
  const Outcome rest = run_program(symmetry_on_actor(out) + " --json");
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  const json result = json::parse(rest.out)["ablations"][0];
  EXPECT_THAT(result["text"].get<std::string>(), HasSubstr("The paper says"));
  ASSERT_EQ(result["rows"].size(), 2u);
  const json told = json::parse(read_text(folder / "told.json"));
  for (const char* key : {"ms_per_epoch", "peak_mib", "threads", "epochs"})
    EXPECT_EQ(result["rows"][0][key], told[key]) << key;
  EXPECT_GT(told["ms_per_epoch"].get<double>(), 0);
  EXPECT_GT(result["rows"][0]["mean"].get<double>(), 22);  // chance is 20
  for (const char* ending : {".json", ".md", ".svg"})
    EXPECT_TRUE(fs::exists(out / ("symmetry" + std::string(ending)))) << ending;
  EXPECT_FALSE(fs::exists(work));

  const Outcome again = run_program(symmetry_on_actor(out) + " --json");  // all is known
  EXPECT_EQ(again.out, rest.out);
}

TEST(AblateCommand, AFileThatIsNotItsOwnIsNotReplaced) {
  GS_NEEDS_SHARED_DATA();
  const TempFolder folder;
  for (const char* name : {"symmetry.md", "symmetry.json"}) {
    write_text(folder / name, "[1, 2]");
    const Outcome refused = run_program(symmetry_on_actor(folder.path()));
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, HasSubstr(name));
    EXPECT_THAT(refused.err, HasSubstr("-o"));
    EXPECT_EQ(read_text(folder / name), "[1, 2]");
    fs::remove(folder / name);
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(AblateCommand, AnUnknownNameOrDatasetNamesTheNearest) {
  EXPECT_THAT(run_program("ablate symetry").err, HasSubstr("symmetry"));
  const Outcome dataset = run_program("ablate loss --datasets phot");
  EXPECT_EQ(dataset.exit_code, 2);
  EXPECT_THAT(dataset.err, HasSubstr("did you mean 'photo'"));
}

}  // namespace
}  // namespace gs::test
