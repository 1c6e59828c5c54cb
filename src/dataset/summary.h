// What `data info` reports about a dataset: counts, degrees, components, homophily, density,
// memory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dataset/dataset.h"

namespace gs {

struct ShardIndex;

struct Summary {
  int64_t nodes = 0, edges = 0, raw_edges = 0, self_loops = 0, isolated = 0, components = 0,
          largest_component = 0;
  bool directed = false, weighted = false;
  int64_t min_degree = 0, max_degree = 0, median_degree = 0;
  double mean_degree = 0;
  std::vector<int64_t> degree_histogram;  // bucket 0: degree 0; bucket b: degrees [2^(b-1), 2^b)
  // Share of edges between equal labels, and its class-balanced form; NaN without labels.
  double edge_homophily = 0, class_homophily = 0;
  double feature_density = 0;
  std::vector<int64_t> class_counts;
  int64_t unlabeled = 0;
  int64_t graph_bytes = 0, feature_bytes = 0;
};

// Streams over the arrays; holds O(N) memory of its own.
Summary summarize(const Dataset& data);
nlohmann::json to_json(const Dataset& data, const Summary& summary);
std::string to_text(const Dataset& data, const Summary& summary);

// The same of a sharded dataset, from its shards.json alone: edge cut, halo and balance.
nlohmann::json to_json(const ShardIndex& index);
std::string to_text(const ShardIndex& index);

}  // namespace gs
