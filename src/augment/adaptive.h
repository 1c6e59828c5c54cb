// GCA's adaptive drop probabilities (Zhu et al. 2021): edges and features of central nodes are
// dropped less often. With s the logarithm of an importance,
//   p = min( (s_max - s) / (s_max - s_mean) * base, limit ),
// where the maximum and the mean are over all edges, or over all features.
//   edge u -> v:  importance (c(u) + c(v)) / 2, the same for both directions of a pair
//   feature i:    importance  sum over nodes v of |x_vi| c(v)
// with c one of the centralities of graph/centrality.h.
#pragma once

#include <span>
#include <vector>

#include "dataset/dataset.h"
#include "loader/sample.h"
#include "options/method.h"

namespace gs {

constexpr double kDropLimit = 0.7;  // largest drop probability of an edge or feature

std::vector<double> centrality_of(const Csr& graph, Centrality kind);

// Drop probabilities of a whole graph, and of any part of it. Thread safety: const calls may
// run at once.
class AdaptiveEdges {
 public:
  AdaptiveEdges(const Csr& graph, std::vector<double> centrality);

  // One probability per entry of `part`, whose local node i is nodes[i]. Empty `nodes` means the
  // whole graph.
  std::vector<float> probabilities(const LayerGraph& part, std::span<const int64_t> nodes,
                                   double base, double limit = kDropLimit) const;

 private:
  double importance(int64_t v, int64_t u) const;

  std::vector<double> centrality_;
  double max_ = 0, mean_ = 0;
};

// One importance per column.
std::vector<double> feature_importance(const Features& features,
                                       std::span<const double> centrality);
std::vector<float> feature_probabilities(std::span<const double> importance, double base,
                                         double limit = kDropLimit);

}  // namespace gs
