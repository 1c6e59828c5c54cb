// The graph as an encoder sees it: the normalised aggregation of each layer. A whole graph, a
// cluster or a random subgraph has one that all layers share; sampled neighbourhoods have one a
// layer, with fewer and fewer targets, the targets of each being the first of its sources.
#pragma once

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

#include "config/model_options.h"
#include "loader/sample.h"
#include "nn/sparse_operator.h"

namespace gs {

class Adjacency {
 public:
  template <std::derived_from<SparseOperator> Operator>
  Adjacency(std::shared_ptr<const Operator> shared)  // NOLINT(google-explicit-constructor)
      : layers_{std::move(shared)} {}
  explicit Adjacency(std::vector<std::shared_ptr<const SparseOperator>> layers)
      : layers_(std::move(layers)) {}

  const SparseOperator& layer(int64_t l) const {
    return *layers_[layers_.size() == 1 ? 0 : static_cast<size_t>(l)];
  }

 private:
  std::vector<std::shared_ptr<const SparseOperator>> layers_;  // outermost (first) layer first
};

// How a convolution weighs neighbours.
Norm norm_of(Convolution kind);

// Of a whole graph.
std::shared_ptr<const SparseOperator> adjacency_for(Convolution kind, const Csr& graph,
                                                    const Place& place);
// Of a batch, which is normalised already.
Adjacency adjacency_of(const std::vector<LayerGraph>& graphs, const Place& place);

}  // namespace gs
