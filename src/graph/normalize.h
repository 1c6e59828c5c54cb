// Normalization of the adjacency without storing a value per entry: three arrays of N that a kernel
// folds in,
//   out[v] = row_scale[v] * ( sum over u in row v of w(v,u) * col_scale[u] * x[u]  + self_weight[v]
//   * col_scale[v] * x[v] ).
// An empty array stands for all ones (row_scale, col_scale) or all zeros (self_weight). All values
// are finite.
#pragma once

#include <span>
#include <string_view>

#include "base/array.h"
#include "base/registry.h"
#include "graph/csr.h"

namespace gs {

// sum is A; mean is D^-1 A, the random walk, and 0 for a row without weight; gcn is D^-1/2 (A + I)
// D^-1/2, where the loop is added only to nodes that have none: an existing one keeps its weight.
enum class Norm { sum, mean, gcn };
inline constexpr Named<Norm> kNorms[] = {
    {"sum", Norm::sum, "plain sum over neighbors"},
    {"mean", Norm::mean, "mean over neighbors (random walk)"},
    {"gcn", Norm::gcn, "symmetric, with self-loops (GCN)"},
};
constexpr std::span<const Named<Norm>> names_of(Norm) { return kNorms; }

struct Normalization {
  Array<float> row_scale, col_scale, self_weight;

  // That of the reverse graph, for the backward pass: (R A C)' = C A' R.
  Normalization transposed() const { return {col_scale, row_scale, self_weight}; }
};

// The degree is the weighted in-degree (the row's sum, for gcn with its loop), on both ends: on a
// directed graph this is what PyTorch Geometric computes too. A gcn degree of 0 (only zero weights)
// scales by 0.
Normalization normalization(const Csr& graph, Norm norm);

// Sum of each row's weights, or its number of entries when there are no weights.
std::vector<double> row_sums(const Csr& graph);

}  // namespace gs
