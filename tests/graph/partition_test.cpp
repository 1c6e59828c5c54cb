#include "graph/partition.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <set>

#include "base/error.h"
#include "base/npy.h"
#include "support/files.h"
#include "support/graphs.h"

namespace gs {
namespace {

using namespace gs::test;
using Ids = std::vector<int32_t>;

// `groups` rings of `size` nodes with chords, joined in a line by single edges.
Csr ring_groups(int32_t groups, int32_t size, bool both_ways = true) {
  std::vector<Edge> edges;
  for (int32_t g = 0; g < groups; ++g) {
    for (int32_t i = 0; i < size; ++i)
      for (const int32_t step : {1, 2, 5})
        edges.push_back({g * size + i, g * size + (i + step) % size});
    if (g > 0) edges.push_back({g * size, (g - 1) * size + 1});
  }
  return build_csr(edge_list(groups * size, edges), {.symmetrize = both_ways});
}

std::vector<fs::path> files_in(const TempFolder& folder) {
  return {fs::directory_iterator(folder.path()), fs::directory_iterator()};
}

TEST(Partition, FindsPlantedGroupsAlsoWhenEdgesGoOneWay) {
  for (const bool both_ways : {true, false}) {
    const auto part = partition(ring_groups(4, 50, both_ways), 4, 1);
    for (int32_t group = 0; group < 4; ++group)
      EXPECT_EQ(
          std::set<int32_t>(part.begin() + group * 50, part.begin() + (group + 1) * 50).size(), 1u);
    EXPECT_EQ(std::set<int32_t>(part.begin(), part.end()).size(), 4u);
  }
}

TEST(Partition, IgnoresSelfLoopsAndWeights) {
  const Csr g = ring_groups(3, 30);
  std::vector<Edge> edges;
  for (int32_t v = 0; v < g.nodes(); ++v) {
    edges.push_back({v, v, 100});
    for (const int32_t u : g.row(v)) edges.push_back({u, v, 0.5f});
  }
  EXPECT_EQ(partition(weighted_graph(g.nodes(), edges), 3, 1), partition(g, 3, 1));
}

TEST(Partition, HandlesTheEdgesOfItsRange) {
  const Csr g = ring_groups(1, 12);
  EXPECT_EQ(partition(g, 1, 0), Ids(12, 0));
  EXPECT_EQ(partition(graph(3, {{0, 1}}), 3, 0), (Ids{0, 1, 2}));
  EXPECT_EQ(partition(graph(3, {{0, 1}}), 1000, 0), (Ids{0, 1, 2}));
  EXPECT_EQ(partition(graph(0, {}), 4, 0), Ids{});
  EXPECT_EQ(partition(graph(4, {}), 2, 0), (Ids{0, 0, 1, 1}));
  EXPECT_EQ(partition(graph(4, {{0, 0}, {1, 1}}), 2, 0), (Ids{0, 0, 1, 1}))
      << "loops alone are no edges";
  EXPECT_THROW(partition(g, 0, 0), Error);
  EXPECT_THROW(partition(g, -3, 0), Error);
}

TEST(Partition, GivesIsolatedNodesAPartToo) {
  std::vector<Edge> edges = random_edges(50, 200, 3);
  const auto part = partition(build_csr(edge_list(400, edges), {}), 4, 1);
  std::vector<int64_t> sizes(4);
  for (const int32_t p : part) ++sizes.at(p);
  for (const int64_t size : sizes) EXPECT_GT(size, 50) << "parts are balanced by nodes";
}

TEST(Partition, EveryNumberOfPartsOnSmallGraphsIsInRange) {
  for (const int64_t nodes : {2, 3, 5, 10, 40})
    for (int64_t parts = 1; parts <= nodes + 1; ++parts)
      for (const uint64_t seed : {0, 1, 2}) {
        const Csr g = graph(nodes, random_edges(nodes, 2 * nodes, seed));
        const auto part = partition(g, parts, seed);
        ASSERT_EQ(static_cast<int64_t>(part.size()), nodes);
        for (const int32_t p : part) ASSERT_TRUE(p >= 0 && p < parts);
      }
}

TEST(Partition, IsDecidedByTheSeed) {
  const Csr g = build_csr(edge_list(500, random_edges(500, 2000, 3)), {.symmetrize = true});
  const auto first = partition(g, 8, 7);
  for (const int count : kThreadCounts) {
    const ThreadScope scope(count);
    EXPECT_EQ(partition(g, 8, 7), first);
  }
  EXPECT_NE(partition(g, 8, 8), first);
}

TEST(Partition, SaysWhenAGraphIsTooLarge) {
  EXPECT_NO_THROW(check_partition_size(2147483647));
  expect_data_error([] { check_partition_size(2147483648); },
                    "METIS takes at most 2147483647 stored edges");
}

void on_signal(int, siginfo_t*, void*) {}

TEST(Partition, LeavesSignalHandlersAsTheyWere) {
  struct sigaction mine = {}, before[2], after[2];
  mine.sa_sigaction = on_signal;
  mine.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaddset(&mine.sa_mask, SIGUSR1);
  sigaction(SIGTERM, &mine, &before[0]);
  sigaction(SIGABRT, &mine, &before[1]);
  partition(ring_groups(3, 30), 3, 1);
  sigaction(SIGTERM, &before[0], &after[0]);
  sigaction(SIGABRT, &before[1], &after[1]);
  for (const auto& action : after) {
    EXPECT_EQ(action.sa_sigaction, on_signal);
    EXPECT_EQ(action.sa_flags & (SA_SIGINFO | SA_RESTART), SA_SIGINFO | SA_RESTART);
    EXPECT_TRUE(sigismember(&action.sa_mask, SIGUSR1));
  }
}

TEST(PartitionCache, ServesTheSecondCallAndIsReadableByNumpy) {
  const TempFolder folder;
  const Csr g = ring_groups(4, 20);
  const auto part = partition(g, 4, 1, folder.path());
  ASSERT_EQ(files_in(folder).size(), 1u);
  const fs::path file = files_in(folder)[0];
  EXPECT_EQ(to_vector(load_npy(file).as<int32_t>()), part);

  Ids planted = part;
  planted[0] = (planted[0] + 1) % 4;
  save_npy<int32_t>(file, planted);
  EXPECT_EQ(partition(g, 4, 1, folder.path()), planted) << "the file was read, METIS was not asked";
}

TEST(PartitionCache, IsKeyedByGraphPartsAndSeed) {
  const TempFolder folder;
  const Csr g = ring_groups(4, 20);
  partition(g, 4, 1, folder.path());
  partition(g, 5, 1, folder.path());
  partition(g, 4, 2, folder.path());
  partition(ring_groups(4, 21), 4, 1, folder.path());
  partition(ring_groups(4, 20, false), 4, 1, folder.path());
  EXPECT_EQ(files_in(folder).size(), 5u);
  partition(g, 4, 1, folder.path());
  EXPECT_EQ(files_in(folder).size(), 5u);
}

TEST(PartitionCache, ReplacesADamagedFile) {
  const TempFolder folder;
  const Csr g = ring_groups(4, 20);
  const auto part = partition(g, 4, 1, folder.path());
  const fs::path file = files_in(folder)[0];
  const std::string good = read_text(file);
  const auto expect_repaired = [&](const char* why) {
    EXPECT_EQ(partition(g, 4, 1, folder.path()), part) << why;
    EXPECT_EQ(read_text(file), good) << why;
  };
  write_text(file, "");
  expect_repaired("empty");
  write_text(file, good.substr(0, good.size() - 1));
  expect_repaired("truncated");
  write_text(file, "not an array");
  expect_repaired("something else");
  Ids bad = part;
  bad[3] = 4;
  save_npy<int32_t>(file, bad);
  expect_repaired("a part that is not there");
  bad[3] = -1;
  save_npy<int32_t>(file, bad);
  expect_repaired("a negative part");
  bad = Ids(part.begin(), part.end() - 1);
  save_npy<int32_t>(file, bad);
  expect_repaired("one node short");
}

TEST(PartitionCache, MakesItsFolderAndDoesWithoutWhereItCannot) {
  const TempFolder folder;
  const Csr g = ring_groups(2, 20);
  const auto part = partition(g, 2, 1, folder / "a" / "b");
  EXPECT_FALSE(fs::is_empty(folder / "a" / "b"));
  write_text(folder / "file", "in the way");
  EXPECT_EQ(partition(g, 2, 1, folder / "file" / "cache"), part);
}

TEST(PartitionCache, WaitsForAnotherProcessThatComputesTheSame) {
  const TempFolder folder;
  const Csr g = ring_groups(4, 20);
  Ids planted = partition(g, 4, 1, folder.path());
  const fs::path file = files_in(folder)[0];
  planted[0] = (planted[0] + 1) % 4;
  fs::remove(file);
  const int other = ::open((file.string() + ".lock").c_str(), O_RDWR | O_CREAT, 0666);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  auto found = std::async(std::launch::async, [&] { return partition(g, 4, 1, folder.path()); });
  EXPECT_EQ(found.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  save_npy<int32_t>(file, planted);
  ::close(other);
  EXPECT_EQ(found.get(), planted);
}

TEST(PartitionCache, TakesOverTheLockOfADeadProcess) {
  const TempFolder folder;
  const Csr g = ring_groups(4, 20);
  const Ids part = partition(g, 4, 1, folder.path());
  const fs::path file = files_in(folder)[0];
  fs::remove(file);
  write_text(file.string() + ".lock", "");
  EXPECT_EQ(partition(g, 4, 1, folder.path()), part);
  EXPECT_EQ(files_in(folder), std::vector<fs::path>{file}) << "the lock is gone";
}

}  // namespace
}  // namespace gs
