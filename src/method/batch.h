// What a model computes on, at one place: the whole graph, or a sample of it.
#pragma once

#include <vector>

#include "nn/adjacency.h"
#include "nn/features.h"

namespace gs {

struct Batch {
  Input features;
  Adjacency adjacency;
  // What the adjacency was made of, for methods that change it: one that all layers share, or one a
  // layer.
  std::vector<LayerGraph> graphs{};
  at::Tensor nodes{};       // global ids of the rows of `features`; undefined: all nodes, in order
  at::Tensor aggregated{};  // A x, or undefined: see aggregate_features()
  int64_t seeds = -1;       // the loss is on the first so many rows; -1: on all
  at::Tensor weights{};     // of the seeds in the loss, or undefined: all ones

  // Whether it is a subgraph, or the graph itself, rather than neighbourhoods layer by layer.
  bool square() const { return graphs.size() == 1; }
  at::Tensor of_seeds(const at::Tensor& rows) const {
    return seeds < 0 || seeds == rows.size(0) ? rows : rows.slice(0, 0, seeds);
  }
};

Batch whole_graph(const Dataset& data, Convolution convolution, const Place& place);
Batch sampled_batch(const Sample& sample, const Place& place);

// For the steps of training, whose first layer of width `width` reads the features as they are:
// makes one A x for all steps where that pays.
void aggregate_features(Batch& batch, int64_t width);

}  // namespace gs
