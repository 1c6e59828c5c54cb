// Checks of sparse features from a file or from a caller's memory, before anything reads them.
#pragma once

#include <string>

#include "dataset/dataset.h"

namespace gs {

// Data Error (at `where`) unless offsets ascend from 0 to the number of entries, columns are in
// range and ascend within a row, and there are no values or one per entry.
void check_sparse(const SparseMatrix& matrix, const std::string& where, const std::string& hint);

}  // namespace gs
