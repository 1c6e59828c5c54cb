// The method, and the options that only baselines read. A method's own defaults are in its row of
// options/method_rows.h; those here are for methods that set none.
#pragma once

#include "base/options.h"

namespace gs {

enum class Centrality { degree, pagerank, eigenvector };
inline constexpr Named<Centrality> kCentralities[] = {
    {"degree", Centrality::degree, "number of neighbors"},
    {"pagerank", Centrality::pagerank, "PageRank score"},
    {"eigenvector", Centrality::eigenvector, "entry of the adjacency's leading eigenvector"}};
constexpr std::span<const Named<Centrality>> names_of(Centrality) { return kCentralities; }

struct MethodOptions {
  std::string method = "graphsurgeon";  // a name of options/methods.h
  int64_t hidden = 0;                   // 0: as dim
  // Options of gat.
  int64_t heads = 8;
  double attention_dropout = 0.5;
  // Options of the augmented views, the first and the second.
  double edge_drop = 0.3, edge_drop_2 = 0.3;
  double feature_mask = 0.2, feature_mask_2 = 0.2;
  Centrality centrality = Centrality::degree;
  // Options of gca and grace.
  double temperature = 0.5;
  int64_t projection_dim = 0;  // 0: as dim
  int64_t anchors = 4096;
  // Options of bgrl.
  double momentum = 0.99;
  int64_t predictor_dim = 512;
  // Options of personalized PageRank.
  double alpha = 0.15;
  double epsilon = 1e-4;
  int64_t top_k = 32;
  // Options of cca-ssg.
  double decorrelation = 1e-3;

  void describe(OptionList& v);
};

}  // namespace gs
