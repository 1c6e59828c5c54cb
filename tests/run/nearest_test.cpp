#include "run/nearest.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "support/errors.h"
#include "support/files.h"

namespace gs {
namespace {

using testing::ElementsAre;

std::vector<int64_t> nodes_of(const std::vector<Neighbor>& neighbors) {
  std::vector<int64_t> nodes;
  for (const Neighbor& n : neighbors) nodes.push_back(n.node);
  return nodes;
}

DenseMatrix matrix(int64_t rows, std::vector<float> values) {
  const int64_t columns = static_cast<int64_t>(values.size()) / rows;
  return {rows, columns, std::move(values)};
}

// About the mean (10, 10): rows at 0, 90, 45 (twice, of other lengths), 180 and 225 degrees, and
// the mean itself.
DenseMatrix rows() { return matrix(7, {13, 10, 10, 12, 11, 11, 12, 12, 9, 10, 5, 5, 10, 10 + 0}); }

TEST(NearestNodes, AreOrderedByCosineAboutTheMeanThenByNumber) {
  const DenseMatrix z = rows();  // the mean is (10, 10)
  const auto found = nearest_nodes(z, 0, 10);
  EXPECT_THAT(nodes_of(found), ElementsAre(2, 3, 1, 6, 5, 4));
  EXPECT_NEAR(found[0].cosine, std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(found[2].cosine, 0, 1e-6);
  EXPECT_EQ(found[3].cosine, 0) << "the mean itself";
  EXPECT_NEAR(found[5].cosine, -1, 1e-6);
  EXPECT_THAT(nodes_of(nearest_nodes(z, 2, 1)), ElementsAre(3));
}

// The plain cosine of any two of these rows is above 0.99.
TEST(NearestNodes, TellApartWhatSharesALargePart) {
  const DenseMatrix z = matrix(4, {101, 100, 102, 100, 99, 100, 98, 100});
  const auto found = nearest_nodes(z, 0, 3);
  EXPECT_NEAR(found[0].cosine, 1, 1e-6);
  EXPECT_EQ(found[0].node, 1);
  EXPECT_NEAR(found[1].cosine, -1, 1e-6);
}

TEST(NearestNodes, AreTheSameOnAnyNumberOfThreadsAndAsByHand) {
  constexpr int64_t kRows = 5000, kWidth = 37;
  Random random(3);
  std::vector<float> values;
  for (int64_t i = 0; i < kRows * kWidth; ++i)
    values.push_back(static_cast<float>(random.uniform()) + 1);
  const DenseMatrix z = matrix(kRows, values);
  std::vector<double> mean(kWidth);
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t c = 0; c < kWidth; ++c) mean[c] += z.row(r)[c] / static_cast<double>(kRows);
  const auto by_hand = [&](int64_t a, int64_t b) {
    double product = 0, first = 0, second = 0;
    for (int64_t c = 0; c < kWidth; ++c) {
      const double x = z.row(a)[c] - mean[c], y = z.row(b)[c] - mean[c];
      product += x * y, first += x * x, second += y * y;
    }
    return product / std::sqrt(first * second);
  };
  std::vector<Neighbor> before;
  for (const int threads : {1, 2, 3}) {
    const ThreadScope scope(threads);
    const auto found = nearest_nodes(z, 4999, 5);
    for (const Neighbor& n : found) EXPECT_NEAR(n.cosine, by_hand(4999, n.node), 1e-5);
    for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(found[i].cosine, before[i].cosine);
    before = found;
  }
  int64_t nearer = 0;
  for (int64_t r = 0; r < kRows - 1; ++r) nearer += by_hand(4999, r) > before[4].cosine + 1e-5;
  EXPECT_EQ(nearer, 4) << "no row is left out";
}

TEST(NearestNodes, SkipRowsWithNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const DenseMatrix z = matrix(5, {13, 10, 10, 13, 11, nan, 7, 10, 10, 7});
  EXPECT_THAT(nodes_of(nearest_nodes(z, 0, 5)), ElementsAre(1, 4, 3));
}

std::string usage_error(const std::vector<std::string>& ids, const std::string& id) {
  return test::usage_error([&] { node_of(ids, 5, id, "NODE"); });
}

TEST(NodeOf, FindsOriginalIdsAndNumbers) {
  const auto found = [](const std::vector<std::string>& ids, const std::string& id) {
    return node_of(ids, 5, id, "NODE");
  };
  EXPECT_EQ(found({}, "4"), 4);
  EXPECT_EQ(found({}, "#4"), 4);
  EXPECT_THAT(usage_error({}, "5"), testing::HasSubstr("0 to 4"));
  EXPECT_THAT(usage_error({}, "ann"), testing::HasSubstr("not a node"));
  const std::vector<std::string> ids{"7", "ann", "0", "#1", "bob"};
  EXPECT_EQ(found(ids, "0"), 2) << "an id, not a number";
  EXPECT_EQ(found(ids, "#0"), 0);
  EXPECT_EQ(found(ids, "#1"), 3) << "an id comes first";
  EXPECT_EQ(found(ids, "bob"), 4);
  EXPECT_THAT(usage_error(ids, "anne"), testing::HasSubstr("did you mean 'ann'"));
  EXPECT_THAT(usage_error(ids, "4"), testing::HasSubstr("#0 to #4"));
}

TEST(WriteNeighbors, QuotesIdsThatNeedIt) {
  const test::TempFolder folder;
  write_neighbors(folder / "near.csv", {"plain", "a,b", "say \"x\""},
                  {{1, 0.5}, {2, -1}, {0, 0.25}});
  EXPECT_EQ(test::read_text(folder / "near.csv"),
            "id,node,cosine\n\"a,b\",1,0.5\n\"say \"\"x\"\"\",2,-1\nplain,0,0.25\n");
}

}  // namespace
}  // namespace gs
