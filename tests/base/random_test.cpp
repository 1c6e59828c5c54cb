#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "base/parallel.h"

namespace gs {
namespace {

// Upper 0.1 % point of chi-square, by Wilson and Hilferty. Seeds are fixed, so a pass stays a pass.
double chi_square_limit(double freedom) {
  const double z = 3.09, a = 2 / (9 * freedom);
  return freedom * std::pow(1 - a + z * std::sqrt(a), 3);
}

double chi_square(const std::vector<int64_t>& seen) {
  const double expected =
      static_cast<double>(std::accumulate(seen.begin(), seen.end(), int64_t{0})) /
      static_cast<double>(seen.size());
  double sum = 0;
  for (const int64_t n : seen)
    sum += (static_cast<double>(n) - expected) * (static_cast<double>(n) - expected) / expected;
  return sum;
}

std::vector<uint64_t> draws(Random random, int count) {
  std::vector<uint64_t> out;
  for (int i = 0; i < count; ++i) out.push_back(random.bits64());
  return out;
}

TEST(Philox, GivesThePublishedAnswers) {
  // Random123's known answers for philox4x32, 10 rounds.
  EXPECT_EQ(philox(0, 0, 0), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(UINT64_MAX, UINT64_MAX, UINT64_MAX),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, StreamIsTheBlocksInOrder) {
  Random random(7);
  for (uint64_t counter = 0; counter < 3; ++counter)
    for (const uint32_t word : philox(7, counter)) EXPECT_EQ(random.bits32(), word);
}

TEST(Random, SameSeedSameDrawsOtherSeedOthers) {
  EXPECT_EQ(draws(Random(3), 20), draws(Random(3), 20));
  EXPECT_NE(draws(Random(3), 20), draws(Random(4), 20));
}

TEST(Random, ForksDifferByPurposeIndexAndOrder) {
  const Random root(1);
  std::set<uint64_t> keys{root.key()};
  keys.insert(root.fork("loader").key());
  keys.insert(root.fork("dropout").key());
  keys.insert(root.fork("loader", 0).key());
  keys.insert(root.fork("loader", 1).key());
  keys.insert(root.fork("loader", 0, 1).key());
  keys.insert(root.fork("loader", 1, 0).key());
  keys.insert(Random(2).fork("loader").key());
  EXPECT_EQ(keys.size(), 8u);
  EXPECT_EQ(root.fork("loader", 1, 0).key(), root.fork("loader", 1, 0).key());
}

TEST(Random, ForkDoesNotDependOnWhatWasDrawn) {
  Random random(5);
  const uint64_t before = random.fork("x").key();
  draws(random, 3);
  random.bits32();
  EXPECT_EQ(random.fork("x").key(), before);
}

TEST(Random, NeighboringForksAreUncorrelated) {
  constexpr int kCount = 20'000;
  Random a = Random(1).fork("worker", 0), b = Random(1).fork("worker", 1);
  double product = 0;
  for (int i = 0; i < kCount; ++i) product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  EXPECT_LT(std::abs(product / kCount * 12), 4 / std::sqrt(kCount));
}

TEST(Random, FirstDrawsOfManyForksAreUniform) {
  std::vector<int64_t> seen(64);
  for (int i = 0; i < 64'000; ++i) ++seen[Random(1).fork("node", i).below(64)];
  EXPECT_LT(chi_square(seen), chi_square_limit(63));
}

TEST(Random, BoundedDrawsAreUniformForAwkwardBounds) {
  for (const uint64_t bound : {2, 3, 7, 10, 100, 1000}) {
    Random random(bound);
    std::vector<int64_t> seen(bound);
    for (uint64_t i = 0; i < bound * 500; ++i) ++seen[random.below(bound)];
    EXPECT_LT(chi_square(seen), chi_square_limit(static_cast<double>(bound - 1)))
        << "bound " << bound;
  }
}

// Taking draws modulo 3 * 2^30 would give the lowest quarter of the range (2^32 - 3 * 2^30) twice
// as often.
TEST(Random, LargeBoundsHaveNoModuloBias) {
  for (const uint64_t bound : {uint64_t{3} << 30, uint64_t{3} << 62}) {
    Random random(11);
    std::vector<int64_t> seen(3);
    for (int i = 0; i < 60'000; ++i) ++seen[random.below(bound) / (bound / 3)];
    EXPECT_LT(chi_square(seen), chi_square_limit(2)) << "bound " << bound;
  }
}

TEST(Random, BoundsOfOneAndOfTheWordSizesHold) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(random.below(1), 0u);
    EXPECT_LT(random.below(UINT32_MAX), UINT32_MAX);
    EXPECT_LT(random.below(uint64_t{1} << 32), uint64_t{1} << 32);
    EXPECT_LT(random.below(UINT64_MAX), UINT64_MAX);
  }
}

TEST(Random, UniformStaysInTheHalfOpenIntervalAndIsUniform) {
  Random random(9);
  std::vector<int64_t> seen(100);
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++seen[static_cast<size_t>(u * 100)];
  }
  EXPECT_LT(chi_square(seen), chi_square_limit(99));
}

TEST(Random, NormalHasTheRightMoments) {
  Random random(13);
  constexpr int kCount = 100'000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x, squares += x * x, fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.013);  // four standard errors each
  EXPECT_NEAR(squares / kCount, 1, 0.018);
  EXPECT_NEAR(fourth / kCount, 3, 0.13);
}

TEST(Random, ShuffleGivesEveryPermutationEquallyOften) {
  Random random(17);
  std::vector<int64_t> seen(24);
  for (int i = 0; i < 24'000; ++i) {
    std::vector<int> v{0, 1, 2, 3};
    random.shuffle(std::span(v));
    int rank = 0;
    for (int a = 0; a < 4; ++a) {
      const auto smaller =
          std::count_if(v.begin() + a + 1, v.end(), [&](int x) { return x < v[a]; });
      rank = rank * (4 - a) + static_cast<int>(smaller);
    }
    ++seen[rank];
  }
  EXPECT_LT(chi_square(seen), chi_square_limit(23));
}

TEST(Random, AnyNumberOfThreadsDrawsTheSame) {
  constexpr int64_t kCount = 5000;
  const Random root(21);
  const auto run = [&](int count) {
    const ThreadScope scope(count);
    std::vector<uint64_t> out(kCount);
    parallel_for(kCount, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        out[static_cast<size_t>(i)] = root.fork("node", i).below(1'000'003);
    });
    return out;
  };
  const auto one = run(1);
  EXPECT_EQ(run(2), one);
  EXPECT_EQ(run(8), one);
}

}  // namespace
}  // namespace gs
