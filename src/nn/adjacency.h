// The graph as an encoder sees it: the normalized aggregation of each layer. A whole graph, a
// cluster or a random subgraph has one that all layers share; sampled neighborhoods have one per
// layer, with fewer and fewer targets, the targets of each being the first of its sources.
#pragma once

#include <concepts>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/sample.h"
#include "nn/device.h"
#include "nn/ops/sparse_operator.h"

namespace gs {

class Adjacency {
 public:
  template <std::derived_from<SparseOperator> Operator>
  Adjacency(std::shared_ptr<const Operator> shared)  // NOLINT(google-explicit-constructor)
      : layers_{std::move(shared)} {}
  explicit Adjacency(std::vector<std::shared_ptr<const SparseOperator>> layers)
      : layers_(std::move(layers)) {}

  const std::shared_ptr<const SparseOperator>& shared() const { return layers_[0]; }
  const SparseOperator& layer(int64_t l) const {
    return *layers_[layers_.size() == 1 ? 0 : static_cast<size_t>(l)];
  }

 private:
  std::vector<std::shared_ptr<const SparseOperator>> layers_;  // outermost (first) layer first
};

// A whole graph's, normalized as the convolution of this name wants it (options/convolutions.h).
std::shared_ptr<const SparseOperator> adjacency_for(std::string_view convolution, const Csr& graph,
                                                    const Device& device);
// A batch's, which is normalized already.
Adjacency adjacency_of(const std::vector<LayerGraph>& graphs, const Device& device);

}  // namespace gs
