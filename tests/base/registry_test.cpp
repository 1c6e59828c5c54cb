#include "base/registry.h"

#include <gtest/gtest.h>

namespace gs {
namespace {

const std::vector<std::string> kLoaders{"full", "neighbor", "cluster", "saint"};

TEST(Registry, NearestForgivesOneSlip) {
  EXPECT_EQ(nearest("neigbor", kLoaders), "neighbor");  // a letter missing
  EXPECT_EQ(nearest("clusterr", kLoaders), "cluster");  // one too many
  EXPECT_EQ(nearest("siant", kLoaders), "saint");       // two swapped
  EXPECT_EQ(nearest("fall", kLoaders), "full");         // one replaced
  EXPECT_EQ(nearest("saint", kLoaders), "saint");
}

TEST(Registry, NearestForgivesTwoSlipsFromFourLettersOn) {
  const std::vector<std::string> names{"photo", "cs", "dblp"};
  EXPECT_EQ(nearest("foto", names), "photo");
  EXPECT_EQ(nearest("ct", names), "cs");
  EXPECT_EQ(nearest("xyz", names), "");
}

TEST(Registry, NearestPrefersTheCloser) {
  const std::vector<std::string> names{"photos", "photo2x"};
  EXPECT_EQ(nearest("photo", names), "photos");
}

TEST(Registry, NothingIsNearToSomethingElse) {
  EXPECT_EQ(nearest("transformer", kLoaders), "");
  EXPECT_EQ(nearest("", kLoaders), "");
  EXPECT_EQ(nearest("full", {}), "");
}

TEST(Registry, LongNamesAreNoTrouble) {
  const std::string huge(1'000'000, 'x');
  EXPECT_EQ(nearest(huge, kLoaders), "");
}

TEST(Registry, UnknownNameIsAUsageErrorThatListsAndSuggests) {
  try {
    fail_unknown("loader", "clutser", kLoaders, "--loader");
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "--loader: unknown loader 'clutser'; did you mean 'cluster'?");
    EXPECT_EQ(error.hint(), "known: full, neighbor, cluster, saint");
  }
}

constexpr Named<int> kTable[] = {{"one", 1, "the first"}, {"two", 2, "the second"}};

TEST(Registry, FindsRowsAndNames) {
  const std::span<const Named<int>> table(kTable);
  EXPECT_EQ(find(table, "two", "number").value, 2);
  EXPECT_EQ(name_of(table, 1), "one");
  EXPECT_EQ(names(table), (std::vector<std::string>{"one", "two"}));
  EXPECT_THROW(find(table, "three", "number"), Error);
  EXPECT_THROW(name_of(table, 3), Error);
}

}  // namespace
}  // namespace gs
