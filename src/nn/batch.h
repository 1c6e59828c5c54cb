// What a model computes on, on one device: the whole graph, or a sample of it. A loss is on the
// batch's target nodes, which are its first rows.
#pragma once

#include <vector>

#include "nn/adjacency.h"
#include "nn/features.h"

namespace gs {

struct Batch {
  Input features;
  Adjacency adjacency;
  // What the adjacency was made of, for methods that change it: one that all layers share, or one
  // per layer.
  std::vector<LayerGraph> graphs{};
  at::Tensor nodes{};       // global ids of the rows of `features`; undefined: all nodes, in order
  at::Tensor aggregated{};  // A x, or undefined: see aggregate_features()
  int64_t targets = -1;     // how many rows are targets; -1: all
  at::Tensor weights{};     // of the targets in the loss, or undefined: all ones

  // Whether it is a subgraph, or the graph itself, rather than neighborhoods layer by layer.
  bool square() const {
    return graphs.size() == 1 && graphs[0].matrix.rows == graphs[0].matrix.columns;
  }
  at::Tensor of_targets(const at::Tensor& rows) const {
    return targets < 0 || targets == rows.size(0) ? rows : rows.slice(0, 0, targets);
  }
};

// Normalized as the convolution of this name wants it.
Batch whole_graph(const Dataset& data, std::string_view convolution, const Device& device);
Batch sampled_batch(const Sample& sample, const Device& device);

// For the steps of training, whose first layer of width `width` reads the features as they are:
// makes one A x for all steps where that pays.
void aggregate_features(Batch& batch, int64_t width);

}  // namespace gs
