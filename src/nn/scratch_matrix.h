// Matrices that may be larger than memory: intermediate layers, smoothed features.
#pragma once

#include <cstdint>

#include "nn/device.h"

namespace gs {

// Uninitialized, in RAM, or in a mapped scratch file without a name when it is larger than `budget`
// bytes. Data Error when there is no room for the file.
at::Tensor scratch_matrix(int64_t rows, int64_t columns, const Device& device, int64_t budget);

}  // namespace gs
