// A batch: some nodes, the graph between them in local ids, and their features. Local id i is
// nodes[i].
#pragma once

#include <cstdint>
#include <vector>

#include "base/array.h"
#include "dataset/dataset.h"
#include "graph/normalize.h"

namespace gs {

// The aggregation of one layer, in the form of graph/normalize.h: rows are targets, columns are
// sources. The first sources are the targets. Columns need not ascend within a row. A matrix
// without values is all ones.
struct LayerGraph {
  SparseMatrix matrix;
  Normalization scales;    // row_scale and self_weight per row, col_scale per column
  bool symmetric = false;  // the matrix, without its scales, is known to be its own transpose
};

struct Sample {
  std::vector<int32_t> nodes;  // global ids of the first layer's inputs; saint may repeat some
  int64_t targets = 0;         // the loss is on the first `targets` nodes
  // One per layer, the first (outermost) layer first; or a single one that all layers share.
  std::vector<LayerGraph> layers;
  Array<float> weights;  // weights of the targets in the loss; empty: all ones
  // Numbers of the nodes, which dropout masks depend on; empty: masks depend on their places here.
  Array<int64_t> numbers;
  Features features;                              // rows of `nodes`, dense or sparse as the data is
  double sample_seconds = 0, gather_seconds = 0;  // CPU time that making it took

  const LayerGraph& layer(int64_t i) const { return layers[layers.size() == 1 ? 0 : i]; }
};

}  // namespace gs
