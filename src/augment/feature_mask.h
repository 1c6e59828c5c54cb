// Views with fewer features (whole columns set to zero) and corrupted views (rows in random order).
// Pass the results to Input::masked() and Input::ordered().
#pragma once

#include <span>

#include "base/random.h"
#include "nn/device.h"

namespace gs {

struct FeatureMask {
  double probability = 0;            // probability that a column is masked
  std::span<const float> each = {};  // one probability per column, instead of `probability`
  Random random{0};
};

// One value per column: 0 if masked, otherwise 1. Undefined if no column can be masked.
at::Tensor column_mask(int64_t columns, const FeatureMask& mask, const Device& device);

// A permutation of 0 .. rows - 1.
at::Tensor row_shuffle(int64_t rows, Random random, const Device& device);

}  // namespace gs
