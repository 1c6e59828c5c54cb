// The paper's tables from the cells of a grid: Table 2 (a row a dataset, a column a method) and
// Table 3 (the large datasets, a row a method), as markdown; and the paper's claim about the
// distance to the best semi-supervised method, checked on the cells there are.
#pragma once

#include <string>
#include <vector>

#include "study/grid.h"

namespace gs {

// Whether a dataset is in Table 3, in which large graphs are trained on samples.
bool is_large(const std::string& dataset);

struct Claim {
  int64_t datasets = 0;  // that have both graphsurgeon and a semi-supervised method
  double mean_gap = 0;   // points that the best semi-supervised method is ahead, on average
};
Claim check_claim(const std::vector<Cell>& cells);

std::string markdown(const std::vector<Cell>& cells);

}  // namespace gs
