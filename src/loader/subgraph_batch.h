// Parts that cluster and saint share: the set of target nodes, and batches with one graph for all
// layers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataset/dataset.h"
#include "graph/csr.h"

namespace gs {

// The target nodes. Empty `nodes` means all nodes.
class TargetSet {
 public:
  TargetSet(int64_t count, std::span<const int32_t> nodes);

  bool has(int32_t node) const { return in_.empty() || in_[node]; }
  int64_t size() const { return size_; }
  // Sorts the targets before the others and returns the number of targets.
  int64_t targets_first(std::vector<int32_t>& nodes) const;

 private:
  std::vector<uint8_t> in_;  // one flag per node; empty: all are targets
  int64_t size_;
};

inline SparseMatrix as_matrix(const Csr& graph) {
  return {graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights};
}

}  // namespace gs
