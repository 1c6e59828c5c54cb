// Laws that hold for the batches of every loader.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "loader/loader.h"
#include "support/graphs.h"
#include "support/samples.h"

namespace gs::test {

inline void expect_same(const Sample& a, const Sample& b) {
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(to_vector(a.weights), to_vector(b.weights));
  ASSERT_EQ(a.layers.size(), b.layers.size());
  for (size_t i = 0; i < a.layers.size(); ++i) {
    const LayerGraph &x = a.layers[i], &y = b.layers[i];
    EXPECT_EQ(to_vector(x.matrix.offsets), to_vector(y.matrix.offsets));
    EXPECT_EQ(to_vector(x.matrix.indices), to_vector(y.matrix.indices));
    EXPECT_EQ(to_vector(x.matrix.values), to_vector(y.matrix.values));
    EXPECT_EQ(to_vector(x.scales.row_scale), to_vector(y.scales.row_scale));
    EXPECT_EQ(to_vector(x.scales.col_scale), to_vector(y.scales.col_scale));
    EXPECT_EQ(to_vector(x.scales.self_weight), to_vector(y.scales.self_weight));
  }
}

// Shapes fit, entries are the graph's and distinct, features are those of the nodes.
inline void expect_sound(const Dataset& data, const LoaderContext& context, const Sample& sample) {
  const auto nodes = static_cast<int64_t>(sample.nodes.size());
  ASSERT_LE(sample.targets, nodes);
  for (const int32_t v : sample.nodes) ASSERT_TRUE(v >= 0 && v < data.nodes());
  if (!sample.weights.empty()) {
    EXPECT_EQ(sample.weights.size(), sample.targets);
  }
  const bool shared = sample.layers.size() == 1;
  if (!shared) {
    ASSERT_EQ(std::ssize(sample.layers), context.layers);
    EXPECT_EQ(sample.layers.back().matrix.rows, sample.targets);
  }
  int64_t sources = nodes;
  for (const LayerGraph& layer : sample.layers) {
    const SparseMatrix& a = layer.matrix;
    EXPECT_EQ(a.columns, sources);
    ASSERT_LE(a.rows, a.columns);
    ASSERT_EQ(a.offsets.size(), a.rows + 1);
    ASSERT_EQ(a.offsets[a.rows], a.indices.size());
    if (!a.values.empty()) {
      EXPECT_EQ(a.values.size(), a.indices.size());
    }
    for (const auto& [scale, size] :
         {std::pair{&layer.scales.row_scale, a.rows}, std::pair{&layer.scales.col_scale, a.columns},
          std::pair{&layer.scales.self_weight, a.rows}})
      if (!scale->empty()) {
        EXPECT_EQ(scale->size(), size);
      }
    for (int64_t i = 0; i < a.rows; ++i) {
      const auto row = data.graph.row(sample.nodes[i]);
      std::set<int32_t> seen;
      for (const int32_t j : a.indices.slice(a.offsets[i], a.offsets[i + 1])) {
        ASSERT_TRUE(j >= 0 && j < a.columns);
        EXPECT_TRUE(seen.insert(sample.nodes[j]).second) << "a neighbor twice";
        EXPECT_TRUE(std::binary_search(row.begin(), row.end(), sample.nodes[j]));
      }
    }
    sources = a.rows;
  }
  ASSERT_EQ(sample.features.rows(), nodes);
  ASSERT_EQ(sample.features.sparse(), data.features.sparse());
  for (int64_t i = 0; i < nodes; ++i) {
    const int32_t v = sample.nodes[i];
    if (sample.features.sparse()) {
      EXPECT_EQ(sample.features.sparse_matrix().indices[i], v);
    } else {
      EXPECT_EQ(sample.features.dense_matrix().row(i)[1], static_cast<float>(v) + 0.5f);
    }
  }
}

// Two epochs: every batch is sound, and the same in any order and by any loader; where the loader
// says so, every target node is served once per epoch. Graphs of up to some hundred nodes.
inline void check_loader_laws(const Dataset& data, const LoaderOptions& options,
                              const LoaderContext& context, bool serves_once) {
  const auto loader = make_loader(data, options, context);
  const auto again = make_loader(data, options, context);
  ASSERT_GE(loader->batches(), 1);
  std::vector<int32_t> targets(context.target_nodes.begin(), context.target_nodes.end());
  if (targets.empty()) {
    targets.resize(static_cast<size_t>(data.nodes()));
    std::iota(targets.begin(), targets.end(), 0);
  }
  std::sort(targets.begin(), targets.end());
  LoaderWorkspace forward, backward;
  std::vector<std::vector<int32_t>> served(2);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    std::vector<Sample> samples;
    for (int64_t i = 0; i < loader->batches(); ++i) {
      samples.push_back(loader->sample(epoch, i, forward));
      const Sample& sample = samples.back();
      expect_sound(data, context, sample);
      served[epoch].insert(served[epoch].end(), sample.nodes.begin(),
                           sample.nodes.begin() + sample.targets);
    }
    for (int64_t i = loader->batches() - 1; i >= 0; --i)
      expect_same(again->sample(epoch, i, backward), samples[i]);
    std::vector<int32_t> sorted = served[epoch];
    std::sort(sorted.begin(), sorted.end());
    if (serves_once) {
      EXPECT_EQ(sorted, targets);
    }
    EXPECT_TRUE(std::includes(targets.begin(), targets.end(), sorted.begin(),
                              std::unique(sorted.begin(), sorted.end())));
  }
  if (loader->batches() > 3) {
    EXPECT_NE(served[0], served[1]) << "epochs differ";
  }
}

}  // namespace gs::test
