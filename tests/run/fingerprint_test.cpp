#include "run/fingerprint.h"

#include <gtest/gtest.h>

#include <numeric>

namespace gs {
namespace {

Split small_split() { return {{0, 1, 2}, {3, 4}, {5}}; }

TEST(Fingerprint, MatchesItsOwnSplitAndNoOther) {
  const std::string stored = fingerprint(small_split());
  EXPECT_TRUE(has_fingerprint(small_split(), stored));
  EXPECT_FALSE(has_fingerprint({{0, 1, 2}, {3}, {4, 5}}, stored));
  EXPECT_FALSE(has_fingerprint({{0, 2, 1}, {3, 4}, {5}}, stored));
  EXPECT_FALSE(has_fingerprint(small_split(), ""));
}

TEST(Fingerprint, OfAnEarlierVersionStillMatches) {
  Split large;
  large.train.resize(200'000);
  std::iota(large.train.begin(), large.train.end(), 0);
  EXPECT_TRUE(has_fingerprint(small_split(), "4666c43f4dbfa2d0d469ef9582f9dd01"));
  EXPECT_TRUE(has_fingerprint(large, "f9c7c042f402b14c8927ee638865db0c"));
  EXPECT_FALSE(has_fingerprint(large, "4666c43f4dbfa2d0d469ef9582f9dd01"));
}

}  // namespace
}  // namespace gs
