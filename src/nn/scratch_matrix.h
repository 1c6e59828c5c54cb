// Matrices that may be larger than memory: intermediate layers, smoothed features.
#pragma once

#include <cstdint>

#include "nn/tensor.h"

namespace gs {

// Uninitialised, in RAM, or in a mapped scratch file without a name when it is larger than `budget`
// bytes. Data Error when there is no room for the file.
at::Tensor scratch_matrix(int64_t rows, int64_t columns, const Place& place, int64_t budget);

}  // namespace gs
