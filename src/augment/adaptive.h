// GCA's adaptive probabilities (Zhu et al. 2021): what touches central nodes is dropped less often.
// With s the logarithm of an importance,
//   p = min( (s_max - s) / (s_max - s_mean) * base, limit ),
// the maximum and the mean being over all edges, or over all features.
//   edge u -> v:  importance (c(u) + c(v)) / 2, so that both directions of a pair have the same
//   feature i:    importance  sum over nodes v of |x_vi| c(v)
// with c one of the centralities of graph/centrality.h.
#pragma once

#include <span>
#include <vector>

#include "config/method_options.h"
#include "dataset/dataset.h"
#include "loader/sample.h"

namespace gs {

constexpr double kDropLimit = 0.7;  // no edge or feature is dropped with more

std::vector<double> centrality_of(const Csr& graph, Centrality kind);

// Of a whole graph; gives the probabilities of any part of it.
class AdaptiveEdges {
 public:
  AdaptiveEdges(const Csr& graph, std::vector<double> centrality);

  // Of every entry of `part`, whose local node i is nodes[i]; empty `nodes`: the whole graph's.
  std::vector<float> probabilities(const LayerGraph& part, std::span<const int64_t> nodes,
                                   double base, double limit = kDropLimit) const;

 private:
  double importance(int64_t v, int64_t u) const;

  std::vector<double> centrality_;
  double max_ = 0, mean_ = 0;
};

// Of every column.
std::vector<double> feature_importance(const Features& features,
                                       std::span<const double> centrality);
std::vector<float> feature_probabilities(std::span<const double> importance, double base,
                                         double limit = kDropLimit);

}  // namespace gs
