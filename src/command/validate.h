// Validation scores of embeddings, by which a search compares trainings. No test node is read.
#pragma once

#include <vector>

#include "dataset/dataset.h"
#include "options/run.h"

namespace gs {

// The best validation score of a linear probe on each split, in percent.
std::vector<double> validation_of(const DenseMatrix& z, const Dataset& data,
                                  const RunOptions& options, int threads);
double effective_rank_of(const DenseMatrix& z, int threads);

}  // namespace gs
