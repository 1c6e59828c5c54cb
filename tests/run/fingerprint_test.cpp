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

TEST(Fingerprint, OfADatasetChangesWithAnyPartOfIt) {
  const auto made = [] {
    Dataset data;
    data.graph = {std::vector<int64_t>{0, 1, 2}, std::vector<int32_t>{1, 0}, {}, true};
    data.features = {DenseMatrix{2, 1, std::vector<float>{1, 2}}};
    data.labels = {Task::binary, 2, std::vector<int32_t>{0, 1}, {}};
    return data;
  };
  const std::string before = fingerprint(made());
  EXPECT_EQ(before, fingerprint(made()));
  Dataset edges = made(), features = made(), labels = made(), splits = made();
  edges.graph.neighbors = std::vector<int32_t>{0, 1};
  features.features = {DenseMatrix{2, 1, std::vector<float>{1, 3}}};
  labels.labels.single = std::vector<int32_t>{1, 0};
  splits.splits = {{{0}, {}, {1}}};
  for (const Dataset* other : {&edges, &features, &labels, &splits})
    EXPECT_NE(before, fingerprint(*other));
}

}  // namespace
}  // namespace gs
