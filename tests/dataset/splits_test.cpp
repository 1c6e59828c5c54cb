#include "dataset/splits.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "support/errors.h"
#include "support/files.h"

namespace gs::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Dataset labeled(std::vector<int32_t> labels, int64_t classes) {
  Dataset data;
  data.name = "toy";
  data.graph.offsets = std::vector<int64_t>(labels.size() + 1, 0);
  data.labels = {
      .task = Task::multiclass, .classes = classes, .single = std::move(labels), .multi = {}};
  return data;
}

std::vector<int32_t> all_of(const Split& split) {
  std::vector<int32_t> nodes = split.train;
  nodes.insert(nodes.end(), split.val.begin(), split.val.end());
  nodes.insert(nodes.end(), split.test.begin(), split.test.end());
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void expect_lawful(const Split& split) {
  for (const auto* set : {&split.train, &split.val, &split.test}) {
    EXPECT_FALSE(set->empty());
    EXPECT_TRUE(std::is_sorted(set->begin(), set->end()));
  }
  const auto nodes = all_of(split);
  EXPECT_EQ(std::adjacent_find(nodes.begin(), nodes.end()), nodes.end()) << "the sets overlap";
}

void expect_usage_error(const Dataset& data, const std::string& spec, const std::string& part) {
  SCOPED_TRACE(spec);
  EXPECT_THAT(test::usage_error([&] { make_splits(data, spec, 1, 0); }), HasSubstr(part));
}

TEST(Splits, RandomTakesPercentOfTheLabeledNodes) {
  std::vector<int32_t> labels(120, 0);
  for (int i = 0; i < 20; ++i) labels[i * 6] = -1;  // 100 labeled
  const Dataset data = labeled(labels, 1);
  const auto splits = make_splits(data, "random:5/15/80", 3, 7);
  ASSERT_EQ(splits.size(), 3u);
  for (const Split& split : splits) {
    expect_lawful(split);
    EXPECT_EQ(split.train.size(), 5u);
    EXPECT_EQ(split.val.size(), 15u);
    EXPECT_EQ(split.test.size(), 80u);
    for (const int32_t node : all_of(split)) EXPECT_GE(labels[node], 0);
  }
  EXPECT_NE(splits[0].train, splits[1].train) << "a split for each run";
}

TEST(Splits, RandomRepeatsBySeedAndDoesNotDependOnTheNumberOfRuns) {
  const Dataset data = labeled(std::vector<int32_t>(200, 0), 1);
  const auto few = make_splits(data, "random:10/10/80", 2, 1),
             many = make_splits(data, "random:10/10/80", 5, 1);
  EXPECT_EQ(few[1].train, many[1].train);
  EXPECT_EQ(few[1].test, many[1].test);
  EXPECT_NE(few[0].train, make_splits(data, "random:10/10/80", 1, 2)[0].train);
}

TEST(Splits, RandomIsUniformOverNodes) {
  const Dataset data = labeled(std::vector<int32_t>(10, 0), 1);
  std::vector<int> hits(10);
  for (const Split& split : make_splits(data, "random:20/20/60", 5000, 3)) {
    for (const int32_t node : split.train) ++hits[node];
  }
  for (const int count : hits) EXPECT_NEAR(count, 1000, 150);  // 5 standard deviations
}

TEST(Splits, RandomTakesFractionsAndMayLeaveNodesOut) {
  const Dataset data = labeled(std::vector<int32_t>(1000, 0), 1);
  const Split split = make_splits(data, "random:2.5/0.1/50", 1, 0)[0];
  EXPECT_EQ(split.train.size(), 25u);
  EXPECT_EQ(split.val.size(), 1u);
  EXPECT_EQ(split.test.size(), 500u);
  const Split thirds = make_splits(data, "random:0.3/0.3/99.4", 1, 0)[0];
  EXPECT_EQ(all_of(thirds).size(), 1000u);
}

TEST(Splits, RandomGivesEachSetANode) {
  const Split split = make_splits(labeled({0, 0, 0}, 1), "random:1/1/98", 1, 0)[0];
  expect_lawful(split);
  EXPECT_THAT(all_of(split), ElementsAre(0, 1, 2));
  const Split late = make_splits(labeled({0, 0, 0, 0}, 1), "random:98/1/1", 1, 0)[0];
  expect_lawful(late);
}

TEST(Splits, RandomWorksOnSeveralLabels) {
  Dataset data = labeled(std::vector<int32_t>(4, 0), 2);
  const uint8_t u = Labels::kUnknown;
  data.labels = {.task = Task::multilabel,
                 .classes = 2,
                 .single = {},
                 .multi = std::vector<uint8_t>{0, 1, u, u, 0, 0, 1, 1}};
  const Split split = make_splits(data, "random:30/30/40", 1, 0)[0];
  EXPECT_THAT(all_of(split), ElementsAre(0, 2, 3));
  expect_data_error([&] { make_splits(data, "per-class:1", 1, 0); }, "needs one label per node");
}

TEST(Splits, PerClassTakesAsManyOfEveryClass) {
  std::vector<int32_t> labels(120);
  for (int i = 0; i < 120; ++i) labels[i] = i % 2;
  labels[119] = -1;
  const auto splits = make_splits(labeled(labels, 2), "per-class:20", 2, 0);
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_NE(splits[0].train, splits[1].train);
  const Split& split = splits[0];
  expect_lawful(split);
  EXPECT_EQ(split.train.size(), 40u);
  EXPECT_EQ(split.val.size(), 60u);
  EXPECT_EQ(split.test.size(), 19u) << "10 of class 0, 9 of class 1";
  EXPECT_EQ(std::ranges::count_if(split.train, [&](int32_t n) { return labels[n] == 0; }), 20);
}

TEST(Splits, PerClassTakesItsOwnValidationCount) {
  std::vector<int32_t> labels(30);
  for (int i = 0; i < 30; ++i) labels[i] = i % 3;
  const Split split = make_splits(labeled(labels, 3), "per-class:2/3", 1, 0)[0];
  expect_lawful(split);
  EXPECT_EQ(split.train.size(), 6u);
  EXPECT_EQ(split.val.size(), 9u);
  EXPECT_EQ(split.test.size(), 15u);
}

TEST(Splits, PerClassTakesWhatASmallClassHas) {
  std::vector<int32_t> labels(20, 0);
  labels[4] = 1;
  const Split split = make_splits(labeled(labels, 2), "per-class:3/4", 1, 0)[0];
  expect_lawful(split);
  EXPECT_EQ(split.train.size(), 4u);
  EXPECT_TRUE(std::count(split.train.begin(), split.train.end(), 4));
}

TEST(Splits, PerClassRefusesAnEmptyClassAndEmptySets) {
  expect_data_error(
      [] {
        make_splits(labeled({0, 0, 0, 2}, 3), "per-class:1", 1, 0);
      },
      "class 1 has no labeled node");
  expect_data_error(
      [] {
        make_splits(labeled({0, 0, 1, 1}, 2), "per-class:2", 1, 0);
      },
      "leaves no node for validation");
  expect_data_error(
      [] {
        make_splits(labeled({0, 0, 1, 1}, 2), "per-class:1", 1, 0);
      },
      "leaves no node for test");
}

TEST(Splits, OwnAndPublicTakeTheDatasets) {
  Dataset data = labeled({0, 0, 0, 0}, 1);
  expect_data_error([&] { make_splits(data, "own", 1, 0); }, "no splits of its own");
  expect_data_error([&] { make_splits(data, "public:0", 1, 0); }, "no splits of its own");
  data.splits = {{{0}, {1}, {2}}, {{3}, {2}, {1}}};
  EXPECT_EQ(make_splits(data, "own", 10, 0).size(), 2u);
  EXPECT_EQ(make_splits(data, "auto", 10, 0).size(), 2u);
  const auto second = make_splits(data, "public:1", 10, 0);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_THAT(second[0].train, ElementsAre(3));
  expect_usage_error(data, "public:2", "has 2 splits");
  expect_usage_error(data, "public:-1", "at least 0");
  expect_usage_error(data, "public:", "not an integer");
}

TEST(Splits, AutoIsRandomWithoutOwnSplits) {
  const Dataset data = labeled(std::vector<int32_t>(100, 0), 1);
  const auto automatic = make_splits(data, "auto", 2, 9),
             random = make_splits(data, "random:5/15/80", 2, 9);
  ASSERT_EQ(automatic.size(), 2u);
  EXPECT_EQ(automatic[1].train, random[1].train);
}

TEST(Splits, RefusesBadSpecs) {
  const Dataset data = labeled(std::vector<int32_t>(10, 0), 1);
  expect_usage_error(data, "", "no such kind");
  expect_usage_error(data, "rnadom:5/15/80", "no such kind");
  expect_usage_error(data, "random", "three percentages");
  expect_usage_error(data, "random:5/15", "three percentages");
  expect_usage_error(data, "random:5/15/x", "'x' is not a percentage");
  expect_usage_error(data, "random:5/0/95", "'0' is not a percentage");
  expect_usage_error(data, "random:nan/1/1", "'nan' is not a percentage");
  expect_usage_error(data, "random:50/40/20", "add up to 110");
  expect_usage_error(data, "random:inf/1/1", "add up to");
  expect_usage_error(data, "random:0.6/0.2/0.2", "write 60/20/20");
  expect_usage_error(data, "per-class:0", "at least 1");
  expect_usage_error(data, "per-class:2/3/4", "one or two counts");
  expect_usage_error(data, "per-class:2.5", "not an integer");
}

TEST(Splits, RefusesDataWithoutEnoughLabels) {
  expect_data_error(
      [] {
        make_splits(labeled({0, -1, 0, -1}, 1), "random:5/15/80", 1, 0);
      },
      "2 labeled nodes");
  Dataset none = labeled({0, 0, 0, 0}, 1);
  none.labels = {};
  expect_data_error([&] { make_splits(none, "auto", 1, 0); }, "0 labeled nodes");
}

TEST(CheckSplits, SortsAndDropsUnlabeledNodes) {
  const Dataset data = labeled({0, -1, 0, 0, 0}, 1);
  std::vector<Split> splits{{{3, 1, 0, 0}, {2}, {4}}};
  check_splits(splits, 5, data.labels, "x");
  EXPECT_THAT(splits[0].train, ElementsAre(0, 3));
  EXPECT_THAT(splits[0].val, ElementsAre(2));
  EXPECT_THAT(splits[0].test, ElementsAre(4));
}

TEST(CheckSplits, RefusesOverlapAndIdsOutOfRange) {
  const Dataset data = labeled({0, 0, 0}, 1);
  std::vector<Split> overlap{{{0}, {1}, {2}}, {{0}, {1}, {1}}};
  expect_data_error([&] { check_splits(overlap, 3, data.labels, "f.npz"); },
                    "f.npz: split 1: node 1 is in both validation and test");
  std::vector<Split> far{{{0}, {3}, {2}}};
  expect_data_error([&] { check_splits(far, 3, data.labels, "f.npz"); },
                    "validation node 3 is not one of the 3");
  std::vector<Split> negative{{{-1}, {1}, {2}}};
  expect_data_error([&] { check_splits(negative, 3, data.labels, "f.npz"); }, "train node -1");
}

}  // namespace
}  // namespace gs::test
