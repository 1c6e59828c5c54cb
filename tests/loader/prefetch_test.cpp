#include "loader/prefetch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "support/loader_laws.h"

namespace gs {
namespace {

using namespace gs::test;

std::unique_ptr<Loader> small_loader(const Dataset& data) {
  LoaderOptions options;
  options.loader = "neighbor";
  options.batch_size = 16;
  return make_loader(data, options, {.random = Random(4)});
}

TEST(Prefetch, GivesTheSameBatchesWithAnyNumberOfWorkers) {
  const Dataset data = dataset_of(undirected_graph(150, random_edges(150, 900, 1)));
  const auto loader = small_loader(data);
  const int64_t batches = loader->batches();
  ASSERT_EQ(batches, 10);
  LoaderWorkspace workspace;
  for (const int64_t workers : {0, 1, 2, 4})
    for (const int64_t ready : {1, 3, 8}) {
      Prefetch prefetch(*loader, {.workers = workers, .ready = ready, .epochs = 3});
      for (int64_t t = 0; t < 3 * batches; ++t) {
        const Prefetch::Batch batch = prefetch.next();
        ASSERT_EQ(batch.epoch, t / batches);
        ASSERT_EQ(batch.index, t % batches);
        EXPECT_GE(batch.wait_seconds, 0);
        expect_same(batch.sample, loader->sample(batch.epoch, batch.index, workspace));
      }
      EXPECT_THROW(prefetch.next(), Error) << "after the last epoch";
    }
}

TEST(Prefetch, StartsWithinAnEpoch) {
  const Dataset data = dataset_of(undirected_graph(150, random_edges(150, 900, 1)));
  const auto loader = small_loader(data);
  for (const int64_t workers : {0, 1, 4}) {
    Prefetch prefetch(*loader, {.workers = workers, .epoch = 5, .index = 8});
    LoaderWorkspace workspace;
    for (const auto& [epoch, index] : {std::pair{5, 8}, std::pair{5, 9}, std::pair{6, 0}}) {
      const Prefetch::Batch batch = prefetch.next();
      EXPECT_EQ(batch.epoch, epoch);
      EXPECT_EQ(batch.index, index);
      expect_same(batch.sample, loader->sample(epoch, index, workspace));
    }
  }
}

// Counts the batches it makes, records the threads of its loops, and fails at a given batch.
class ProbeLoader : public Loader {
 public:
  using Loader::Loader;
  int64_t batches() const override { return 10; }
  mutable std::atomic<int64_t> made = 0;
  mutable std::atomic<int> most_threads = 0;
  int64_t failing = -1;

 private:
  Sample draw(int64_t, int64_t index, LoaderWorkspace&) const override {
    ++made;
    most_threads = std::max<int>(most_threads, threads());
    if (index == failing) fail_data("batch", "is broken");
    return {};
  }
};

TEST(Prefetch, CarriesAnErrorToTheCallThatMeetsIt) {
  const Dataset data = dataset_of(graph(3, {}));
  ProbeLoader loader(data);
  loader.failing = 2;
  for (const int64_t workers : {0, 1, 3}) {
    Prefetch prefetch(loader, {.workers = workers});
    EXPECT_EQ(prefetch.next().index, 0);
    EXPECT_EQ(prefetch.next().index, 1);
    EXPECT_THROW(prefetch.next(), Error);
    EXPECT_EQ(prefetch.next().index, 3) << "and continues after it";
  }
}

TEST(Prefetch, MakesNoMoreThanItMayAndStopsAtOnce) {
  const Dataset data = dataset_of(graph(3, {}));
  ProbeLoader loader(data);
  {
    Prefetch prefetch(loader, {.workers = 2, .ready = 3});
    prefetch.next();
    const auto start = std::chrono::steady_clock::now();
    while (loader.made < 4 && std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(loader.made, 4) << "one given, three ready";
  }
  EXPECT_EQ(loader.made, 4);
  loader.made = 0;
  { const Prefetch unused(loader, {.workers = 3, .ready = 100, .epochs = 1}); }
  EXPECT_LE(loader.made, 10);
}

TEST(Prefetch, WorkersLeaveParallelLoopsAlone) {
  const ThreadScope scope(4);
  const Dataset data = dataset_of(graph(3, {}));
  ProbeLoader loader(data);
  Prefetch prefetch(loader, {.workers = 2});
  for (int i = 0; i < 5; ++i) prefetch.next();
  EXPECT_EQ(loader.most_threads, 1);
  EXPECT_EQ(threads(), 4);
}

}  // namespace
}  // namespace gs
