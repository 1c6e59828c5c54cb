#include <gtest/gtest.h>

#include <cmath>

#include "support/loader_laws.h"
#include "support/statistics.h"

namespace gs {
namespace {

using namespace gs::test;

LoaderOptions neighbor_options(std::vector<int64_t> fanouts, int64_t batch_size) {
  LoaderOptions options;
  options.loader = "neighbor";
  options.fanouts = std::move(fanouts);
  options.batch_size = batch_size;
  return options;
}

// The sums of one sampled layer, averaged over many epochs, against those of the whole graph.
void expect_unbiased(const Csr& graph, Norm norm, NeighborSampling how) {
  const Dataset data = dataset_of(graph);
  Random random(3);
  std::vector<double> x(static_cast<size_t>(data.nodes()));
  for (double& value : x) value = random.normal();
  const std::vector<double> full = aggregate(whole_graph(graph, norm), x);

  LoaderOptions options = neighbor_options({2}, 8);
  options.neighbor_sampling = how;
  const auto loader = make_loader(data, options, {.norm = norm, .layers = 1});
  LoaderWorkspace workspace;
  std::vector<Mean> mean(x.size());
  for (int64_t epoch = 0; epoch < 3000; ++epoch)
    for (int64_t i = 0; i < loader->batches(); ++i) {
      const Sample sample = loader->sample(epoch, i, workspace);
      std::vector<double> local;
      for (const int32_t v : sample.nodes) local.push_back(x[v]);
      const std::vector<double> sums = aggregate(sample.layers[0], local);
      for (int64_t s = 0; s < sample.targets; ++s) mean[sample.nodes[s]].add(sums[s]);
    }
  for (size_t v = 0; v < x.size(); ++v) {
    EXPECT_EQ(mean[v].count(), 3000);
    EXPECT_LT(std::abs(mean[v].mean() - full[v]), 5 * mean[v].error() + 1e-5) << "node " << v;
  }
}

TEST(NeighborLoader, SampledSumsAreUnbiased) {
  // Directed, with loops, duplicates merged, and two nodes without in-neighbors.
  const std::vector<Edge> edges = random_edges(18, 90, 4);
  for (const Norm norm : {Norm::gcn, Norm::mean, Norm::sum}) {
    SCOPED_TRACE(name_of(names_of(norm), norm));
    expect_unbiased(graph(20, edges), norm, NeighborSampling::uniform);
    expect_unbiased(weighted_graph(20, edges), norm, NeighborSampling::uniform);
    expect_unbiased(weighted_graph(20, edges), norm, NeighborSampling::weight);
  }
}

TEST(NeighborLoader, WithAllNeighborsIsTheWholeGraph) {
  const Csr g = weighted_graph(50, random_edges(50, 300, 5));
  const Dataset data = dataset_of(g);
  std::vector<double> x(50);
  for (size_t v = 0; v < x.size(); ++v) x[v] = std::sin(static_cast<double>(v));
  for (const Norm norm : {Norm::gcn, Norm::mean, Norm::sum}) {
    const LayerGraph whole = whole_graph(g, norm);
    const std::vector<double> full = aggregate(whole, aggregate(whole, x));
    const auto loader = make_loader(data, neighbor_options({-1}, 7), {.norm = norm, .layers = 2});
    LoaderWorkspace workspace;
    for (int64_t i = 0; i < loader->batches(); ++i) {
      const Sample sample = loader->sample(0, i, workspace);
      std::vector<double> local;
      for (const int32_t v : sample.nodes) local.push_back(x[v]);
      for (const LayerGraph& layer : sample.layers) local = aggregate(layer, local);
      ASSERT_EQ(std::ssize(local), sample.targets);
      for (int64_t s = 0; s < sample.targets; ++s)
        EXPECT_NEAR(local[s], full[sample.nodes[s]], 1e-6);
    }
  }
}

TEST(NeighborLoader, FanoutsCountOutwardFromTheTargetNodesAndTheLastRepeats) {
  const Dataset data = dataset_of(undirected_graph(40, random_edges(40, 600, 6)));
  const auto loader = make_loader(data, neighbor_options({5, 2}, 4), {.layers = 3});
  LoaderWorkspace workspace;
  const Sample sample = loader->sample(0, 0, workspace);
  ASSERT_EQ(sample.layers.size(), 3u);
  const std::vector<int64_t> fanouts{2, 2, 5};  // the outermost layer first
  for (size_t layer = 0; layer < 3; ++layer) {
    const SparseMatrix& a = sample.layers[layer].matrix;
    for (int64_t i = 0; i < a.rows; ++i) EXPECT_EQ(a.offsets[i + 1] - a.offsets[i], fanouts[layer]);
  }
  EXPECT_EQ(sample.layers[2].matrix.rows, 4);
  EXPECT_THROW(make_loader(data, neighbor_options({0}, 4), {}), Error);
  EXPECT_THROW(make_loader(data, neighbor_options({}, 4), {}), Error);
}

TEST(NeighborLoader, StoresNoValuesForAnUnweightedGraph) {
  // Node 0 has the in-neighbors 1, 2, 3, 4; two are kept. Mean: 1/2 each. Gcn: (degree + 1)^-1/2,
  // and a factor of 2 that its own loop does not get.
  const Dataset data = dataset_of(graph(5, {{1, 0}, {2, 0}, {3, 0}, {4, 0}}));
  const std::vector<int32_t> target{0};
  LoaderWorkspace workspace;
  const auto layer = [&](Norm norm) {
    const LoaderContext context{.norm = norm, .layers = 1, .target_nodes = target};
    return make_loader(data, neighbor_options({2}, 4), context)->sample(0, 0, workspace).layers[0];
  };
  const LayerGraph mean = layer(Norm::mean), gcn = layer(Norm::gcn);
  EXPECT_TRUE(mean.matrix.values.empty());
  EXPECT_EQ(to_vector(mean.scales.row_scale), (std::vector<float>{0.5f}));
  EXPECT_TRUE(mean.scales.col_scale.empty());
  EXPECT_TRUE(mean.scales.self_weight.empty());
  const float scale = 1 / std::sqrt(5.0f);
  EXPECT_TRUE(gcn.matrix.values.empty());
  EXPECT_FLOAT_EQ(gcn.scales.row_scale[0], 2 * scale);
  EXPECT_FLOAT_EQ(gcn.scales.self_weight[0], 0.5f);
  EXPECT_EQ(to_vector(gcn.scales.col_scale), (std::vector<float>{scale, 1, 1}));
}

}  // namespace
}  // namespace gs
