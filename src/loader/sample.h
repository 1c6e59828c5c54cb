// A batch: some nodes, the graph between them in local ids, and their features. Local id i is
// nodes[i].
#pragma once

#include <cstdint>
#include <vector>

#include "base/array.h"
#include "dataset/dataset.h"
#include "graph/normalize.h"

namespace gs {

// The aggregation of one layer, as graph/normalize.h has it: rows are targets, columns are sources.
// Targets are the first sources. Columns need not ascend within a row. Without values all are ones.
struct LayerGraph {
  SparseMatrix matrix;
  Normalization scales;    // row_scale and self_weight of the rows, col_scale of the columns
  bool symmetric = false;  // the matrix, without its scales, is known to be its own transpose
};

struct Sample {
  std::vector<int32_t> nodes;  // global ids of the first layer's inputs; saint may repeat some
  int64_t seeds = 0;           // the first `seeds` nodes are those that the loss is on
  std::vector<LayerGraph>
      layers;            // the outermost (first) layer first; or one that all layers share
  Array<float> weights;  // of the seeds in the loss; empty: all ones
  Features features;     // rows of `nodes`, dense or sparse as the data is
  double sample_seconds = 0, gather_seconds = 0;  // CPU time that making it took

  const LayerGraph& layer(int64_t i) const { return layers[layers.size() == 1 ? 0 : i]; }
};

}  // namespace gs
