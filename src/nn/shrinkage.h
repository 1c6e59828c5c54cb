// Singular values of a noisy matrix, shrunk to what exceeds the noise (Gavish and Donoho 2017,
// Frobenius loss). The noise level comes from the median singular value, as if most of them were
// noise; where they are not, it is low, and little is shrunk.
#pragma once

#include <ATen/ATen.h>

namespace gs {

// The factor of each singular value, in [0, 1]: 0 below the Marchenko-Pastur edge. `values`: all
// min(rows, columns) of them, doubles, largest first.
at::Tensor shrinkage(const at::Tensor& values, int64_t rows, int64_t columns);

}  // namespace gs
