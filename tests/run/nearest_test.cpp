#include "run/nearest.h"

#include <gmock/gmock.h>

#include "base/error.h"
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

// Rows at 0, 90, 45 (twice, of other lengths) and 180 degrees, and a zero row.
at::Tensor rows() {
  return at::tensor({1.f, 0.f, 0.f, 2.f, 4.f, 4.f, 1.f, 1.f, -1.f, 0.f, 0.f, 0.f}).reshape({6, 2});
}

TEST(NearestNodes, AreOrderedByCosineThenByNumber) {
  const auto found = nearest_nodes(rows(), 0, 10);
  EXPECT_THAT(nodes_of(found), ElementsAre(2, 3, 1, 5, 4));
  EXPECT_NEAR(found[0].cosine, std::sqrt(0.5), 1e-6);
  EXPECT_EQ(found[4].cosine, -1);
  EXPECT_THAT(nodes_of(nearest_nodes(rows(), 2, 1)), ElementsAre(3));
}

TEST(NearestNodes, DoNotDependOnTheBlock) {
  for (const int64_t block : {1, 2, 4, 5, 6, 12})
    EXPECT_THAT(nodes_of(nearest_nodes(rows(), 4, 3, block)), ElementsAre(1, 5, 2)) << block;
}

TEST(NearestNodes, SkipRowsWithNaN) {
  at::Tensor z = rows();
  z[2][1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(nodes_of(nearest_nodes(z, 0, 2)), ElementsAre(3, 1));
}

std::string usage_error(const Dataset& data, const std::string& id) {
  return test::usage_error([&] { node_of(data, id); });
}

TEST(NodeOf, FindsOriginalIdsAndNumbers) {
  Dataset data;
  data.graph = build_csr({5, {}, {}, {}}, {});
  EXPECT_EQ(node_of(data, "4"), 4);
  EXPECT_EQ(node_of(data, "#4"), 4);
  EXPECT_THAT(usage_error(data, "5"), testing::HasSubstr("0 to 4"));
  EXPECT_THAT(usage_error(data, "ann"), testing::HasSubstr("not a node"));
  data.node_ids = {"7", "ann", "0", "#1", "bob"};
  EXPECT_EQ(node_of(data, "0"), 2) << "an id, not a number";
  EXPECT_EQ(node_of(data, "#0"), 0);
  EXPECT_EQ(node_of(data, "#1"), 3) << "an id comes first";
  EXPECT_EQ(node_of(data, "bob"), 4);
  EXPECT_THAT(usage_error(data, "anne"), testing::HasSubstr("did you mean 'ann'"));
  EXPECT_THAT(usage_error(data, "4"), testing::HasSubstr("#0 to #4"));
}

TEST(WriteNeighbors, QuotesIdsThatNeedIt) {
  const test::TempFolder folder;
  Dataset data;
  data.node_ids = {"plain", "a,b", "say \"x\""};
  write_neighbors(folder / "near.csv", data, {{1, 0.5}, {2, -1}, {0, 0.25}});
  EXPECT_EQ(test::read_text(folder / "near.csv"),
            "id,node,cosine\n\"a,b\",1,0.5\n\"say \"\"x\"\"\",2,-1\nplain,0,0.25\n");
}

}  // namespace
}  // namespace gs
