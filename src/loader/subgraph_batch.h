// What cluster and saint share: a set of nodes that the loss is on, and batches that one graph
// serves in all layers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataset/dataset.h"
#include "graph/csr.h"

namespace gs {

// Which nodes the loss is on. Empty `nodes`: all.
class SeedSet {
 public:
  SeedSet(int64_t count, std::span<const int32_t> nodes);

  bool has(int32_t node) const { return in_.empty() || in_[node]; }
  int64_t size() const { return size_; }
  // Sorts, seeds before the others; returns how many seeds there are.
  int64_t seeds_first(std::vector<int32_t>& nodes) const;

 private:
  std::vector<uint8_t> in_;  // of N; empty: all are
  int64_t size_;
};

inline SparseMatrix as_matrix(const Csr& graph) {
  return {graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights};
}

}  // namespace gs
