#include <gtest/gtest.h>

#include <filesystem>

#include "graph/partition.h"
#include "support/files.h"
#include "support/loader_laws.h"

namespace gs {
namespace {

using namespace gs::test;

LoaderOptions cluster_options(int64_t parts, int64_t per_batch) {
  LoaderOptions options;
  options.loader = "cluster";
  options.parts = parts;
  options.parts_per_batch = per_batch;
  return options;
}

// Four cliques of five nodes, each joined to the next by one edge.
Csr cliques() {
  std::vector<Edge> edges;
  for (int32_t c = 0; c < 4; ++c) {
    for (int32_t i = 0; i < 5; ++i)
      for (int32_t j = 0; j < i; ++j) edges.push_back({5 * c + i, 5 * c + j});
    if (c > 0) edges.push_back({5 * c - 1, 5 * c});
  }
  return undirected_graph(20, edges);
}

TEST(ClusterLoader, ABatchIsTheSubgraphOfSomeParts) {
  const Dataset data = dataset_of(cliques());
  const std::vector<int32_t> part = partition(data.graph, 4, 0);
  for (const Norm norm : {Norm::gcn, Norm::mean}) {
    const auto loader = make_loader(data, cluster_options(4, 2), {.norm = norm});
    ASSERT_EQ(loader->batches(), 2);
    LoaderWorkspace workspace;
    for (int64_t i = 0; i < 2; ++i) {
      const Sample sample = loader->sample(0, i, workspace);
      std::set<int32_t> parts;
      for (const int32_t v : sample.nodes) parts.insert(part[v]);
      EXPECT_EQ(parts.size(), 2u);
      std::vector<int32_t> expected;
      for (int32_t v = 0; v < 20; ++v)
        if (parts.contains(part[v])) expected.push_back(v);
      EXPECT_EQ(sample.nodes, expected);
      EXPECT_EQ(sample.targets, std::ssize(expected));
      SubgraphWorkspace subgraph;
      const Csr between = induced_subgraph(data.graph, expected, subgraph);
      ASSERT_EQ(sample.layers.size(), 1u);
      EXPECT_EQ(to_vector(sample.layers[0].matrix.indices), to_vector(between.neighbors));
      EXPECT_EQ(to_vector(sample.layers[0].scales.row_scale),
                to_vector(normalization(between, norm).row_scale));
    }
  }
}

TEST(ClusterLoader, WithAllPartsIsTheWholeGraph) {
  const Dataset data = dataset_of(cliques());
  LoaderWorkspace workspace;
  for (const int64_t parts : {0, 1, 4, 100}) {
    const auto loader = make_loader(data, cluster_options(parts, 100), {});
    ASSERT_EQ(loader->batches(), 1);
    const Sample sample = loader->sample(3, 0, workspace);
    EXPECT_EQ(sample.targets, 20);
    EXPECT_EQ(to_vector(sample.layers[0].matrix.indices), to_vector(data.graph.neighbors));
  }
}

TEST(ClusterLoader, TargetNodesComeFirst) {
  const Dataset data = dataset_of(cliques());
  const std::vector<int32_t> train{19, 0, 7};
  const auto loader = make_loader(data, cluster_options(1, 1), {.target_nodes = train});
  LoaderWorkspace workspace;
  const Sample sample = loader->sample(0, 0, workspace);
  EXPECT_EQ(sample.targets, 3);
  EXPECT_EQ((std::vector<int32_t>(sample.nodes.begin(), sample.nodes.begin() + 4)),
            (std::vector<int32_t>{0, 7, 19, 1}));
}

TEST(ClusterLoader, ReadsThePartitionFromItsCache) {
  const Dataset data = dataset_of(cliques());
  const TempFolder cache;
  LoaderWorkspace workspace;
  const auto sample = [&](uint64_t seed) {
    return make_loader(data, cluster_options(4, 1), {.random = Random(seed), .cache = cache.path()})
        ->sample(0, 0, workspace);
  };
  const Sample first = sample(1);
  const auto files = [&] {
    return std::distance(fs::directory_iterator(cache.path()), fs::directory_iterator{});
  };
  EXPECT_EQ(files(), 1);
  expect_same(sample(1), first);
  sample(2);
  EXPECT_EQ(files(), 1) << "another seed shuffles the same parts";
}

}  // namespace
}  // namespace gs
