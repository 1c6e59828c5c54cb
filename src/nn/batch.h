// What a model computes on, on one device: the whole graph, or a sample of it. A loss is on the
// batch's target nodes, which are its first rows.
#pragma once

#include <vector>

#include "nn/adjacency.h"
#include "nn/features.h"
#include "nn/share.h"

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
  // The batch of a step may be spread over several ranks. Each has rows of its own, and one loss is
  // on the targets of all.
  const Ranks* ranks = &alone();
  int64_t all_targets = -1;  // on all ranks; -1: those here
  Array<int64_t> numbers{};  // of the rows of `features`, for masks; see Pass

  // Whether it is a subgraph, or the graph itself, rather than neighborhoods layer by layer.
  bool square() const {
    return graphs.size() == 1 && graphs[0].matrix.rows == graphs[0].matrix.columns;
  }
  int64_t target_count() const { return targets < 0 ? features.rows() : targets; }
  int64_t loss_rows() const { return all_targets < 0 ? target_count() : all_targets; }
  at::Tensor of_targets(const at::Tensor& rows) const {
    return targets < 0 || targets == rows.size(0) ? rows : rows.slice(0, 0, targets);
  }
};

// Normalized as the convolution of this name wants it. Collective: the own nodes of each rank.
Batch whole_graph(const Share& share, std::string_view convolution, const Device& device);
Batch sampled_batch(const Sample& sample, const Device& device);

// For the steps of training, whose first layer of width `width` reads the features as they are:
// makes one A x for all steps where that pays.
void aggregate_features(Batch& batch, int64_t width);

}  // namespace gs
