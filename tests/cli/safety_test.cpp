// What goes wrong around a command: data that changes, signals, limits, odd paths.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/program.h"

namespace gs::test {
namespace {

using testing::HasSubstr;

constexpr const char* kGraph = "sbm:nodes=400,classes=3,features=16,seed=3";
constexpr const char* kSmall = " --aug-dim 24 --dim 8 --lr 0.01 --quiet ";

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Starts the program with these words and returns its id; what it prints goes to `err`.
pid_t start(const std::vector<std::string>& words, const fs::path& err) {
  const pid_t child = fork();
  if (child == 0) {
    freopen(err.c_str(), "w", stderr);
    std::vector<char*> argv{const_cast<char*>("graphsurgeon")};
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(GS_TEST_BINARY_DIR "/graphsurgeon", argv.data());
    _exit(127);
  }
  return child;
}

TEST(Safety, DataThatChangesMeanwhileIsNamedAndNothingOfItIsKept) {
  const TempFolder folder;
  const std::string data = (folder / "data").string(), run = (folder / "run").string();
  ASSERT_EQ(run_program("data generate --nodes 3000 --features 40 --quiet -o " + data).exit_code,
            0);
  for (const bool cut : {true, false}) {
    const std::string file = cut ? "features.npy" : "neighbors.npy";
    const std::string whole = read_text(folder / "data" / file);
    const pid_t child = start({"train",       data,
                               "-o",          run,
                               "--overwrite", "--epochs",
                               "100000",      "--loader",
                               "neighbor",    "--batch-size",
                               "100",         "--aug-dim",
                               "24",          "--dim",
                               "8",           "--lr",
                               "1e-9",        "--checkpoint-every",
                               "2",           "--quiet"},
                              folder / "err");
    for (int i = 0; i < 2000 && read_text(folder / "run/metrics.jsonl").size() < 100; ++i)
      usleep(5000);
    if (cut) {
      fs::resize_file(folder / "data" / file, 4096);
    } else {  // ids that no node has
      FILE* out = fopen((folder / "data" / file).c_str(), "r+");
      fseek(out, 4096, SEEK_SET);
      for (int i = 0; i < 5000; ++i) fwrite("\xff\xff\xff\x7f", 4, 1, out);
      fclose(out);
    }
    const int status = wait_for(child);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 3) << read_text(folder / "err");
    // Ids that no node has may be met before the change is.
    EXPECT_THAT(read_text(folder / "err"),
                testing::AnyOf(HasSubstr(file + ": changed while it was in use"),
                               HasSubstr(file + ": row")));
    EXPECT_FALSE(fs::exists(folder / "run/embeddings.npy"));
    write_text(folder / "data" / file, whole);
  }
}

TEST(Safety, TheFirstInterruptStopsSaintWhileItCounts) {
  const TempFolder folder;
  const pid_t child =
      start({"train", "sbm:nodes=200000,features=4,degree=10", "-o", (folder / "run").string(),
             "--loader", "saint", "--coverage", "10000", "--epochs", "1", "--memory", "100000"},
            folder / "err");
  for (int i = 0; i < 4000 && !fs::exists(folder / "run"); ++i) usleep(5000);
  usleep(1'000'000);  // it counts for minutes
  kill(child, SIGINT);
  const int status = wait_for(child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4) << read_text(folder / "err");
  EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST(Safety, TooLittleAddressSpaceIsOutOfMemory) {
  const TempFolder folder;
  int refused = 0, done = 0;
  for (int mib = 100; mib <= 2500; mib += 300) {
    const Outcome run = run_program(
        "train sbm:nodes=3000,features=200 --epochs 1 --threads 2 "
        "--quiet --overwrite -o " +
            (folder / "run").string(),
        fmt::format("ulimit -v {};", mib * 1024));
    if (mib < 200 && run.exit_code == 127) continue;  // the system cannot load the program
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 3)
        << mib << " MiB: " << run.exit_code << run.err;
    refused += run.exit_code == 3, done += run.exit_code == 0;
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(done, 0);
}

TEST(Safety, PathsMayBeInAnyEncoding) {
  const TempFolder folder;
  const fs::path data = folder / "caf\xe9";
  write_text(data / "edges.csv", "0,1\n1,2\n2,0\n");
  write_text(data / "features.csv", "id,x,y\n0,1,0\n1,0,1\n2,1,1\n");
  const std::string run = (data / "run").string();
  const Outcome trained =
      run_program("train '" + data.string() + "' -o '" + run + "' --json" + kSmall + "--epochs 1");
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const Outcome resumed = run_program("train '" + data.string() + "' -o '" + run + "' --resume" +
                                      kSmall + "--epochs 2");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST(Safety, EmbeddingsWithoutColumnsAreRefused) {
  const TempFolder folder;
  run_python(folder.path(), "np.save('z.npy', np.zeros((400, 0), 'f4'))");
  const Outcome run = run_program("eval " + (folder / "z.npy").string() + " " + kGraph);
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("without columns"));
}

}  // namespace
}  // namespace gs::test
