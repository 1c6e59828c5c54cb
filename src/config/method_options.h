// Which method learns, and what the baselines take beyond the options that all share. Their
// defaults are the method's own (config/methods.cpp); those here are for a method that says
// nothing.
#pragma once

#include "base/options.h"

namespace gs {

enum class Centrality { degree, pagerank, eigenvector };
std::span<const Named<Centrality>> names_of(Centrality);

struct MethodOptions {
  std::string method = "graphsurgeon";
  int64_t hidden = 0;  // 0: as dim
  // GAT
  int64_t heads = 8;
  double attention_dropout = 0.5;
  // augmented views: of the first and of the second
  double edge_drop = 0.3, edge_drop_2 = 0.3;
  double feature_mask = 0.2, feature_mask_2 = 0.2;
  Centrality centrality = Centrality::degree;
  // contrast
  double temperature = 0.5;
  int64_t projection_dim = 0;  // 0: as dim
  int64_t anchors = 4096;
  // bootstrap
  double momentum = 0.99;
  int64_t predictor_dim = 512;
  // personalised PageRank
  double alpha = 0.15;
  double epsilon = 1e-4;
  int64_t top_k = 32;
  // canonical correlation
  double decorrelation = 1e-3;

  void describe(OptionList& v);
};

}  // namespace gs
