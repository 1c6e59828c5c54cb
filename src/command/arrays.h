// Datasets from the caller's arrays, for a program in the same process (the Python package). No
// libtorch in this header.
#pragma once

#include <string>
#include <vector>

#include "dataset/load.h"

namespace gs {

// A graph as arrays. They are not copied: the memory they view must stay unchanged as long as the
// dataset exists.
struct GraphArrays {
  std::string name = "memory";
  int64_t nodes = 0;
  Array<int64_t> source, target;  // edge i goes from source[i] to target[i]
  Array<float> weight;            // weights of these edges, or empty
  Csr graph;                      // instead of the above: row v lists the sources of v's edges
  Features features;
  bool has_features = false;
  // Class ids, one per node, -1 where unknown; or N x classes of 0 and 1 for several classes per
  // node (Labels::kUnknown in a row that is unknown). Empty without labels.
  Array<int32_t> labels;
  Array<uint8_t> multi_labels;
  int64_t classes = 0;  // columns of multi_labels
  std::vector<Split> splits;
  std::vector<std::string> node_ids, feature_names, class_names;
  std::string recipe;       // FeatureTreatment::recipe
  bool undirected = false;  // edges are listed once and belong in both directions
};

// Checks and treats the arrays like the content of a file. The graph is kept as it is unless
// it is `undirected` or `options` say otherwise. Dense features that are mostly zeros become sparse
// where that is the cheaper form.
Dataset dataset_from(GraphArrays arrays, const LoadOptions& options);

// For a dataset that is prepared already: data Error unless its features were treated as a run
// treats them, with the same statistics, and are in the same order.
void check_treated_alike(const Dataset& data, const FeatureTreatment& treatment);

}  // namespace gs
