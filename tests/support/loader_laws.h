// What holds for the batches of every loader, and the plain sums to compare them with.
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

namespace gs::test {

// A dataset of this graph; node v's features are v, v + 0.5, ... (dense) or a one in column v
// (sparse).
inline Dataset dataset_of(Csr graph, bool sparse = false) {
  Dataset data;
  data.name = "test";
  const int64_t nodes = graph.nodes();
  data.graph = std::move(graph);
  if (sparse) {
    std::vector<int64_t> offsets(static_cast<size_t>(nodes) + 1);
    std::iota(offsets.begin(), offsets.end(), 0);
    std::vector<int32_t> columns(static_cast<size_t>(nodes));
    std::iota(columns.begin(), columns.end(), 0);
    data.features.matrix = SparseMatrix{nodes, nodes, std::move(offsets), std::move(columns), {}};
  } else {
    std::vector<float> values;
    for (int64_t v = 0; v < nodes; ++v)
      for (int64_t j = 0; j < 3; ++j) values.push_back(static_cast<float>(v) + 0.5f * j);
    data.features.matrix = DenseMatrix{nodes, 3, std::move(values)};
  }
  return data;
}

// out[i] as graph/normalize.h has it, for x of one column.
inline std::vector<double> aggregate(const LayerGraph& layer, std::span<const double> x) {
  const auto at = [](const Array<float>& scale, int64_t i, double otherwise) {
    return scale.empty() ? otherwise : static_cast<double>(scale[i]);
  };
  const SparseMatrix& a = layer.matrix;
  std::vector<double> out(static_cast<size_t>(a.rows));
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
      const int32_t j = a.indices[e];
      out[i] += at(a.values, e, 1) * at(layer.scales.col_scale, j, 1) * x[j];
    }
    out[i] += at(layer.scales.self_weight, i, 0) * at(layer.scales.col_scale, i, 1) * x[i];
    out[i] *= at(layer.scales.row_scale, i, 1);
  }
  return out;
}

inline LayerGraph whole_graph(const Csr& graph, Norm norm) {
  return {{graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights},
          normalization(graph, norm)};
}

inline void expect_same(const Sample& a, const Sample& b) {
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.seeds, b.seeds);
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
  ASSERT_LE(sample.seeds, nodes);
  for (const int32_t v : sample.nodes) ASSERT_TRUE(v >= 0 && v < data.nodes());
  if (!sample.weights.empty()) {
    EXPECT_EQ(sample.weights.size(), sample.seeds);
  }
  const bool shared = sample.layers.size() == 1;
  if (!shared) {
    ASSERT_EQ(std::ssize(sample.layers), context.layers);
    EXPECT_EQ(sample.layers.back().matrix.rows, sample.seeds);
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
        EXPECT_TRUE(seen.insert(sample.nodes[j]).second) << "a neighbour twice";
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

// Two epochs: every batch is sound, and the same whoever makes it and when; where the loader says
// so, every seed is served once an epoch. Graphs of up to some hundred nodes.
inline void check_loader_laws(const Dataset& data, const LoaderOptions& options,
                              const LoaderContext& context, bool serves_once) {
  const auto loader = make_loader(data, options, context);
  const auto again = make_loader(data, options, context);
  ASSERT_GE(loader->batches(), 1);
  std::vector<int32_t> seeds(context.seed_nodes.begin(), context.seed_nodes.end());
  if (seeds.empty()) {
    seeds.resize(static_cast<size_t>(data.nodes()));
    std::iota(seeds.begin(), seeds.end(), 0);
  }
  std::sort(seeds.begin(), seeds.end());
  LoaderWorkspace forward, backward;
  std::vector<std::vector<int32_t>> served(2);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    std::vector<Sample> samples;
    for (int64_t i = 0; i < loader->batches(); ++i) {
      samples.push_back(loader->sample(epoch, i, forward));
      const Sample& sample = samples.back();
      expect_sound(data, context, sample);
      served[epoch].insert(served[epoch].end(), sample.nodes.begin(),
                           sample.nodes.begin() + sample.seeds);
    }
    for (int64_t i = loader->batches() - 1; i >= 0; --i)
      expect_same(again->sample(epoch, i, backward), samples[i]);
    std::vector<int32_t> sorted = served[epoch];
    std::sort(sorted.begin(), sorted.end());
    if (serves_once) {
      EXPECT_EQ(sorted, seeds);
    }
    EXPECT_TRUE(std::includes(seeds.begin(), seeds.end(), sorted.begin(),
                              std::unique(sorted.begin(), sorted.end())));
  }
  if (loader->batches() > 3) {
    EXPECT_NE(served[0], served[1]) << "epochs differ";
  }
}

}  // namespace gs::test
