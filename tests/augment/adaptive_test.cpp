#include "augment/adaptive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/loader_laws.h"

namespace gs {
namespace {

// A hub 0 with neighbors 1, 2, 3, and the edge 3 - 4: pairs {0,1} and {0,2} have mean degree 2,
// {0,3} 2.5 and {3,4} 1.5.
const Csr graph = test::undirected_graph(5, {{0, 1}, {0, 2}, {0, 3}, {3, 4}});

TEST(Adaptive, EdgesOfCentralNodesAreDroppedLessByHand) {
  const AdaptiveEdges edges(graph, centrality_of(graph, Centrality::degree));
  const auto p = edges.probabilities(test::whole_graph(graph, Norm::gcn), {}, 0.3, 1);
  const double max = std::log(2.5), mean = (2 * std::log(2.) + max + std::log(1.5)) / 4;
  const auto expected = [&](double degree) {
    return 0.3 * (max - std::log(degree)) / (max - mean);
  };
  // Rows: 0 {1, 2, 3}, 1 {0}, 2 {0}, 3 {0, 4}, 4 {3}.
  const double by_hand[] = {2, 2, 2.5, 2, 2, 2.5, 1.5, 1.5};
  for (size_t e = 0; e < p.size(); ++e) EXPECT_NEAR(p[e], expected(by_hand[e]), 1e-6) << e;
  double sum = 0;
  for (const float value : p) sum += value;
  EXPECT_NEAR(sum / 8, 0.3, 1e-6) << "the mean is the base";
}

TEST(Adaptive, ThePartOfAGraphHasTheWholeGraphsProbabilities) {
  const AdaptiveEdges edges(graph, centrality_of(graph, Centrality::pagerank));
  const auto whole = edges.probabilities(test::whole_graph(graph, Norm::gcn), {}, 0.2);
  const Csr part = test::undirected_graph(2, {{0, 1}});
  const std::vector<int64_t> nodes{4, 3};
  const auto local = edges.probabilities(test::whole_graph(part, Norm::gcn), nodes, 0.2);
  EXPECT_EQ(local, (std::vector<float>{whole[6], whole[7]}));
}

TEST(Adaptive, TheLimitHoldsAndEqualNodesAreAlike) {
  const AdaptiveEdges edges(graph, centrality_of(graph, Centrality::eigenvector));
  for (const float p : edges.probabilities(test::whole_graph(graph, Norm::gcn), {}, 0.9)) {
    EXPECT_GE(p, 0);
    EXPECT_LE(p, static_cast<float>(kDropLimit));
  }
  const Csr ring = test::undirected_graph(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  const AdaptiveEdges alike(ring, centrality_of(ring, Centrality::degree));
  for (const float p : alike.probabilities(test::whole_graph(ring, Norm::gcn), {}, 0.25))
    EXPECT_FLOAT_EQ(p, 0.25f);
}

TEST(Adaptive, FeaturesOfCentralNodesAreMaskedLessDenseAsSparse) {
  const std::vector<double> centrality{3, 1, 1};
  const Features dense{DenseMatrix{3, 2, std::vector<float>{1, 0, 0, -2, 0, 1}}};
  const Features sparse{SparseMatrix{3, 2, std::vector<int64_t>{0, 1, 2, 3},
                                     std::vector<int32_t>{0, 1, 1}, std::vector<float>{1, -2, 1}}};
  EXPECT_EQ(feature_importance(dense, centrality), (std::vector<double>{3, 3}));
  EXPECT_EQ(feature_importance(sparse, centrality), (std::vector<double>{3, 3}));
  const auto p = feature_probabilities(std::vector<double>{8, 2, 2, 2}, 0.2, 1);
  EXPECT_FLOAT_EQ(p[0], 0);
  EXPECT_NEAR(p[1], 0.2 * 4 / 3, 1e-6);
}

}  // namespace
}  // namespace gs
