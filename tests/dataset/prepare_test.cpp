#include <gtest/gtest.h>

#include "dataset/load.h"
#include "support/files.h"

namespace gs {
namespace {

// Two joined nodes with one value each, in columns 0 and 1.
Dataset prepared(std::vector<float> values, FeatureRule rule = FeatureRule::automatic) {
  RawDataset raw;
  raw.nodes = 2, raw.edges.nodes = 2;
  raw.edges.source = {0}, raw.edges.target = {1};
  raw.has_features = true;
  raw.features = {SparseMatrix{2, 2, std::vector<int64_t>{0, 1, 2}, std::vector<int32_t>{0, 1},
                               std::move(values)}};
  LoadOptions options;
  options.features = rule;
  return prepare(std::move(raw), "edge-list", options);
}

TEST(Prepare, CountsBecomeBinaryAndOtherValuesStay) {
  const Dataset counts = prepared({1, 3});
  EXPECT_EQ(counts.treatment_reason, "features are counts, made binary");
  EXPECT_TRUE(counts.features.sparse_matrix().values.empty()) << "all ones";
  EXPECT_EQ(counts.treatment, "features binarized");
  for (const std::vector<float>& values : {std::vector<float>{1, 2.5f}, {1, -2}, {0.5f, 3}}) {
    const Dataset kept = prepared(values);
    EXPECT_EQ(kept.treatment_reason, "");
    EXPECT_EQ(kept.features.sparse_matrix().values[1], values[1]);
  }
  const Dataset ones = prepared({1, 1});
  EXPECT_EQ(ones.treatment_reason, "") << "nothing was changed";
}

TEST(Prepare, EdgesOfAnEdgeListAreUndirectedUnlessAsked) {
  const auto made = [](Switch symmetrize) {
    RawDataset raw;
    raw.nodes = 2, raw.edges.nodes = 2;
    raw.edges.source = {0}, raw.edges.target = {1};
    raw.symmetrize = true;
    LoadOptions options;
    options.symmetrize = symmetrize;
    return prepare(std::move(raw), "edge-list", options);
  };
  EXPECT_EQ(made(Switch::automatic).graph.edges(), 2);
  ASSERT_EQ(made(Switch::automatic).notes.size(), 1) << "it is said";
  EXPECT_EQ(made(Switch::no).graph.edges(), 1);
  EXPECT_TRUE(made(Switch::no).notes.empty());
}

TEST(Prepare, CountsStayIfAskedFor) {
  const Dataset raw = prepared({1, 3}, FeatureRule::raw);
  EXPECT_EQ(raw.treatment_reason, "");
  EXPECT_EQ(raw.features.sparse_matrix().values[1], 3);
  EXPECT_EQ(prepared({1, 3}, FeatureRule::binary).treatment_reason, "") << "asked for";
}

TEST(Prepare, MoreClassesThanAFolderMayHaveAreRefused) {
  RawDataset raw;
  raw.nodes = 3, raw.edges.nodes = 3;
  raw.labels = {Task::multiclass, 1'000'001, std::vector<int32_t>{0, 1, 1'000'000}, {}};
  raw.labels_where = "labels";
  test::expect_data_error([&] { prepare(std::move(raw), "edge-list", {}); },
                          "1000001 classes for 3 nodes");
}

}  // namespace
}  // namespace gs
