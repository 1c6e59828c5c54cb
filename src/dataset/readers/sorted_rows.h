// Brings a CSR matrix as files have it (unsorted columns, repeated entries, values that are all
// one) into the form that SparseMatrix promises. In parallel; the same bits on any number of
// threads.
#pragma once

#include "dataset/dataset.h"

namespace gs {

// Columns ascend, repeated entries are added up in their order, and values that are all one are
// left out. Offsets must ascend and columns be in range.
SparseMatrix sorted_rows(SparseMatrix matrix);

}  // namespace gs
