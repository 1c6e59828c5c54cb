#include "dataset/agreement.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "dataset/generate/generate.h"
#include "support/topical.h"

namespace gs {
namespace {

using test::topical_graph;

Features dense_of(const SparseMatrix& m) {
  std::vector<float> values(static_cast<size_t>(m.rows * m.columns), 0.0f);
  for (int64_t row = 0; row < m.rows; ++row)
    for (int64_t at = m.offsets[row]; at < m.offsets[row + 1]; ++at)
      values[static_cast<size_t>(row * m.columns + m.indices[at])] = 1;
  return {DenseMatrix{m.rows, m.columns, std::move(values)}};
}

TEST(FeatureAgreement, TellsNeighborsOfOneKindFromStrangers) {
  const Dataset alike = topical_graph(20, 0.8),
                mixed = topical_graph(20, 0.2);  // five classes: .2 is chance
  const FeatureAgreement a = feature_agreement(alike.graph, alike.features);
  const FeatureAgreement m = feature_agreement(mixed.graph, mixed.features);
  EXPECT_GT(a.agreement, 0.05);
  EXPECT_FALSE(a.unrelated());
  EXPECT_NEAR(m.agreement, 0, 0.02);
  EXPECT_TRUE(m.unrelated());
  EXPECT_EQ(a.values, 20);
  EXPECT_FALSE(a.scarce());
}

TEST(FeatureAgreement, OfEqualNeighborsIsOne) {
  const int64_t pairs = 300;  // nodes 2i and 2i + 1 are joined and have the same features
  Random random(1);
  EdgeList edges;
  edges.nodes = 2 * pairs;
  std::vector<float> values;
  for (int32_t i = 0; i < pairs; ++i) {
    edges.source.push_back(2 * i), edges.target.push_back(2 * i + 1);
    std::vector<float> row(8);
    for (float& x : row) x = static_cast<float>(random.normal());
    for (int copy = 0; copy < 2; ++copy) values.insert(values.end(), row.begin(), row.end());
  }
  const Csr graph = build_csr(std::move(edges), {.symmetrize = true});
  EXPECT_NEAR(feature_agreement(graph, {DenseMatrix{2 * pairs, 8, std::move(values)}}).agreement, 1,
              1e-6);
}

TEST(FeatureAgreement, IsTheSameForSparseAndDenseFeatures) {
  const Dataset data = topical_graph(20, 0.8);
  const FeatureAgreement sparse = feature_agreement(data.graph, data.features);
  const FeatureAgreement dense =
      feature_agreement(data.graph, dense_of(data.features.sparse_matrix()));
  EXPECT_NEAR(sparse.agreement, dense.agreement, 1e-9);
  EXPECT_NEAR(sparse.spread, dense.spread, 1e-9);
  EXPECT_EQ(sparse.values, dense.values);
}

TEST(FeatureAgreement, KnowsNoise) {
  GenerateOptions options;
  options.nodes = 2000, options.features = 100, options.signal = 0.5;
  const Dataset noise = generate(options);
  const FeatureAgreement found = feature_agreement(noise.graph, noise.features);
  EXPECT_NEAR(found.spread, 1, 0.3);
  EXPECT_TRUE(found.noisy());
  EXPECT_FALSE(found.unrelated()) << "noise is no reason to keep a node's own features";
  options.signal = 3;  // neighbors are alike now, but one of them says as little as before
  const Dataset louder = generate(options);
  const FeatureAgreement heard = feature_agreement(louder.graph, louder.features);
  EXPECT_TRUE(heard.alike());
  EXPECT_TRUE(heard.noisy());
}

TEST(FeatureAgreement, OfNothingIsZero) {
  const Dataset data = topical_graph(20, 0.8);
  EXPECT_EQ(feature_agreement(data.graph, Features{}).spread, 0);
  EdgeList none;
  none.nodes = 2000;
  EXPECT_EQ(feature_agreement(build_csr(none, {}), data.features).values, 0);
  const SparseMatrix zero{2000, 5, std::vector<int64_t>(2001, 0), {}, {}};
  const FeatureAgreement zeros = feature_agreement(data.graph, {zero});
  EXPECT_EQ(zeros.agreement, 0);
  EXPECT_EQ(zeros.values, 0);
}

}  // namespace
}  // namespace gs
