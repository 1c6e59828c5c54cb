#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gs {
namespace {

struct Piece {
  int64_t begin, end;
};

TEST(ParallelFor, CoversEachIndexOnceForAnyThreadsCountAndGrain) {
  for (int count = 1; count <= 8; ++count) {
    const ThreadScope scope(count);
    for (const int64_t items : {1, 2, 3, 7, 100, 1001})
      for (const int64_t grain : {0, 1, 5, 2000}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(items));
        parallel_for(items, grain, [&](int64_t begin, int64_t end) {
          ASSERT_LT(begin, end);
          for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
        });
        for (const auto& n : seen)
          ASSERT_EQ(n, 1) << count << " threads, " << items << " items, grain " << grain;
      }
  }
}

TEST(ParallelFor, NothingToDoCallsNothing) {
  bool called = false;
  parallel_for(0, 1, [&](int64_t, int64_t) { called = true; });
  parallel_for(-5, 1, [&](int64_t, int64_t) { called = true; });
  const int64_t none[] = {0};
  parallel_for_weighted(none, 1, [&](int64_t, int64_t) { called = true; });
  parallel_for_weighted({}, 1, [&](int64_t, int64_t) { called = true; });
  EXPECT_FALSE(called);
}

TEST(ParallelFor, PiecesAreAtLeastTheGrain) {
  const ThreadScope scope(8);
  parallel_for(100, 30, [](int64_t begin, int64_t end) { EXPECT_GE(end - begin, 30); });
}

TEST(ParallelFor, CarriesTheFirstExceptionOutAndWorksAgain) {
  const ThreadScope scope(4);
  for (int repeat = 0; repeat < 20; ++repeat) {
    try {
      parallel_for(1000, 1, [](int64_t begin, int64_t end) {
        if (begin <= 300 && 300 < end) throw std::runtime_error("early");
        if (end == 1000) throw std::runtime_error("late");
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "early");
    }
  }
  std::atomic<int64_t> sum = 0;
  parallel_for(10, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum, 10);
}

TEST(ParallelFor, NestedLoopsRunToTheEnd) {
  const ThreadScope scope(4);
  std::atomic<int64_t> sum = 0;
  parallel_for(8, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      parallel_for(100, 1, [&](int64_t from, int64_t to) { sum += to - from; });
  });
  EXPECT_EQ(sum, 800);
}

std::vector<Piece> weighted_pieces(const std::vector<int64_t>& prefix) {
  std::mutex mutex;
  std::vector<Piece> pieces;
  parallel_for_weighted(prefix, 1, [&](int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    pieces.push_back({begin, end});
  });
  return pieces;
}

std::vector<int64_t> prefix_of(std::vector<int64_t> weights) {
  std::vector<int64_t> prefix{0};
  for (const int64_t w : weights) prefix.push_back(prefix.back() + w);
  return prefix;
}

TEST(ParallelForWeighted, CoversEachIndexOnceForAnyThreads) {
  const auto prefix = prefix_of({0, 0, 50, 1, 0, 3, 0, 0, 0, 7, 1, 1, 0});
  for (int count = 1; count <= 8; ++count) {
    const ThreadScope scope(count);
    std::vector<int> seen(prefix.size() - 1);
    for (const Piece& piece : weighted_pieces(prefix))
      for (int64_t i = piece.begin; i < piece.end; ++i) ++seen[static_cast<size_t>(i)];
    for (const int n : seen) ASSERT_EQ(n, 1) << count << " threads";
  }
}

TEST(ParallelForWeighted, AHubDoesNotDragOthersAlong) {
  const ThreadScope scope(2);  // eight pieces
  std::vector<int64_t> weights(1000, 3);
  weights[100] = 4000;
  const auto prefix = prefix_of(weights);
  const int64_t total = prefix.back() + 1000, share = total / 8;
  const auto pieces = weighted_pieces(prefix);
  EXPECT_GE(pieces.size(), 4u);
  for (const Piece& piece : pieces) {
    const int64_t cost = prefix[piece.end] - prefix[piece.begin] + piece.end - piece.begin;
    const bool hub = piece.begin <= 100 && 100 < piece.end;
    EXPECT_LE(cost, (hub ? 4001 : 0) + share + 4) << piece.begin << " to " << piece.end;
  }
}

TEST(ParallelForWeighted, EmptyRowsAreSharedOutToo) {
  const ThreadScope scope(2);
  for (const Piece& piece : weighted_pieces(std::vector<int64_t>(1001, 0)))
    EXPECT_LE(piece.end - piece.begin, 126);
}

TEST(ParallelForWeighted, PrefixNeedNotBeginAtZero) {
  const ThreadScope scope(4);
  int64_t covered = 0;
  for (const Piece& piece : weighted_pieces({1000, 1001, 1002, 1003}))
    covered += piece.end - piece.begin;
  EXPECT_EQ(covered, 3);
}

TEST(ParallelSum, SameBitsOnAnyThreadCount) {
  std::vector<double> values(100'003);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<double>(i)) * std::pow(10.0, i % 17);
  const auto run = [&](int count) {
    const ThreadScope scope(count);
    return parallel_sum(static_cast<int64_t>(values.size()), 1000, [&](int64_t begin, int64_t end) {
      return std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
    });
  };
  const double one = run(1);
  for (int count = 2; count <= 8; ++count) EXPECT_EQ(run(count), one) << count << " threads";
}

TEST(ParallelSum, CoversThePartialLastBlockAndNothing) {
  const auto length = [](int64_t begin, int64_t end) { return static_cast<double>(end - begin); };
  EXPECT_EQ(parallel_sum(10, 4, length), 10);
  EXPECT_EQ(parallel_sum(0, 4, length), 0);
}

TEST(Parallel, ExclusiveScanGivesSumsBeforeAndTheTotal) {
  std::vector<int64_t> values{3, 0, 4, 1};
  EXPECT_EQ(exclusive_scan(values), 8);
  EXPECT_EQ(values, (std::vector<int64_t>{0, 3, 3, 7}));
  EXPECT_EQ(exclusive_scan({}), 0);
}

TEST(ThreadScope, SetsTheNumberAndRestoresTheOneBefore) {
  EXPECT_EQ(threads(), available_threads());
  EXPECT_GE(available_threads(), 1);
  {
    const ThreadScope outer(5);
    EXPECT_EQ(threads(), 5);
    {
      const ThreadScope inner(0);
      EXPECT_EQ(threads(), available_threads());
    }
    EXPECT_EQ(threads(), 5);
  }
  EXPECT_EQ(threads(), available_threads());
}

TEST(ThreadScope, HoldsForTheCallingThreadAlone) {
  const ThreadScope scope(available_threads() + 3);
  std::thread([] { EXPECT_EQ(threads(), available_threads()); }).join();
}

TEST(ThreadScope, OfOneKeepsLoopsInTheCallingThread) {
  const ThreadScope scope(4);
  {
    const ThreadScope alone(1);
    int64_t pieces = 0;  // no race: one thread
    parallel_for(1000, 1, [&](int64_t begin, int64_t end) {
      ++pieces;
      EXPECT_EQ(end - begin, 1000);
    });
    EXPECT_EQ(pieces, 1);
  }
  EXPECT_EQ(threads(), 4);
}

TEST(ThreadScope, ThreadsThatComputeAtOnceHaveTheirOwnNumbersAndTheSameSums) {
  const auto sum = [] {
    return parallel_sum(100'000, 100, [](int64_t begin, int64_t end) {
      double total = 0;
      for (int64_t i = begin; i < end; ++i) total += std::sin(static_cast<double>(i));
      return total;
    });
  };
  const double expected = sum();
  const auto work = [&](int count) {
    const ThreadScope scope(count);
    for (int repeat = 0; repeat < 20; ++repeat) {
      EXPECT_EQ(threads(), count);
      EXPECT_EQ(sum(), expected);
    }
  };
  std::thread first(work, 2), second(work, 3), third(work, 1);
  first.join(), second.join(), third.join();
}

TEST(Parallel, AForkedChildComputesWithOneThread) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer does not follow a fork of several threads";
#endif
  const auto sum = [] {
    return parallel_sum(100'000, 10, [](int64_t begin, int64_t end) {
      double total = 0;
      for (int64_t i = begin; i < end; ++i) total += std::sqrt(static_cast<double>(i));
      return total;
    });
  };
  const ThreadScope scope(4);
  const double expected = sum();  // starts the threads, which the child does not have
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(threads() == 1 && available_threads() == 1 && sum() == expected ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(threads(), 4);
}

}  // namespace
}  // namespace gs
