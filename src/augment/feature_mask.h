// Views with fewer features, and corrupted ones: whole columns set to zero, and rows in a random
// order. Both are made by handing the result to Input::masked() and Input::ordered().
#pragma once

#include <span>

#include "base/random.h"
#include "nn/tensor.h"

namespace gs {

struct FeatureMask {
  double probability = 0;            // that a column is masked
  std::span<const float> each = {};  // of every column, in place of `probability`
  Random random{0};
};

// One a column: 0 where it is masked, else 1. Undefined where nothing can be masked.
at::Tensor column_mask(int64_t columns, const FeatureMask& mask, const Place& place);

// A permutation of 0 .. rows - 1.
at::Tensor row_shuffle(int64_t rows, Random random, const Place& place);

}  // namespace gs
