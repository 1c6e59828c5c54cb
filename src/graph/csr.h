// A graph as compressed rows. Row v lists the nodes u with an edge u -> v: those that v hears from,
// in ascending order. Offsets are 64-bit, ids 32-bit (at most 2^31 - 1 nodes). Weights are absent
// (all ones) or one per entry. `symmetric` is a fact that was checked when the graph was made: the
// reverse graph is then the graph itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/progress.h"

namespace gs {

struct Csr {
  Array<int64_t> offsets;    // N + 1
  Array<int32_t> neighbors;  // M
  Array<float> weights;      // M, or empty
  bool symmetric = false;

  int64_t nodes() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  int64_t edges() const { return neighbors.size(); }  // stored directed entries: the paper's M
  bool weighted() const { return !weights.empty(); }
  int64_t degree(int64_t node) const { return offsets[node + 1] - offsets[node]; }
  std::span<const int32_t> row(int64_t node) const {
    return neighbors.slice(offsets[node], offsets[node + 1]);
  }
  std::span<const float> row_weights(int64_t node) const {
    return weighted() ? weights.slice(offsets[node], offsets[node + 1]) : std::span<const float>{};
  }
  int64_t bytes() const { return offsets.bytes() + neighbors.bytes() + weights.bytes(); }
};

// Edges as read from a file: source[i] -> target[i], with weight[i] when weights are there.
struct EdgeList {
  int64_t nodes = 0;
  std::vector<int32_t> source, target;
  std::vector<float> weight;

  int64_t size() const { return static_cast<int64_t>(source.size()); }
};

enum class SelfLoops { keep, drop, add };  // add: every node gets one where it has none

struct BuildOptions {
  // Store (v, u) beside (u, v). Where both were given, the larger weight counts for both
  // (duplicates of one direction having been merged first), so that symmetrizing a symmetric list
  // changes nothing.
  bool symmetrize = false;
  SelfLoops self_loops = SelfLoops::keep;
  // Merge duplicates; weights add up. Without it the graph may be one that validate() refuses;
  // symmetrizing then keeps, of a pair listed a times one way and b times the other, max(a, b)
  // entries both ways.
  bool coalesce = true;
};

// Entries of the list that the result does not have: self-loops dropped, and repeats of the same u
// -> v merged into one. Symmetrizing counts no duplicate where u -> v and v -> u are listed once
// each.
struct BuildCounts {
  int64_t self_loops = 0, duplicates = 0;
};

// Data Error naming the first entry whose ids are not in [0, nodes) or whose weight is not finite
// or negative. Takes the list by value so that its memory can go as soon as it is not needed; peak
// is at most twice the result beyond the input. The result does not depend on the number of
// threads.
Csr build_csr(EdgeList edges, const BuildOptions& options, BuildCounts* counts = nullptr);

Csr reverse(const Csr& graph);        // shares storage when symmetric
bool is_symmetric(const Csr& graph);  // structure and weights, of a graph that is valid
// Data Error (at `where`) unless offsets ascend from 0 to M, ids are in range, rows are sorted
// without duplicates and weights are finite and not negative.
void validate(const Csr& graph, const std::string& where);
// Data Error past 2^31 - 1 nodes.
void check_node_count(int64_t nodes, const std::string& where);

}  // namespace gs
