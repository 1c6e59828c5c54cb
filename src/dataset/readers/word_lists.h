// Bags of words as several formats write them: one list of word numbers per node.
#pragma once

#include <cstdint>
#include <vector>

#include "dataset/dataset.h"

namespace gs {

// A 1 for every word that a row's list holds, however often; the words need no order. Ids must be
// in [0, columns).
SparseMatrix from_word_lists(std::vector<std::vector<int32_t>> lists, int64_t columns);

}  // namespace gs
