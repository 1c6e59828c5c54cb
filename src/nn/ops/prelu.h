// x where it is positive, slope x elsewhere; the slope is one number that is learned.
#pragma once

#include <ATen/core/Tensor.h>

namespace gs {

// As at::prelu, whose backward goes one element at a time, but in whole vectors both ways.
at::Tensor prelu(const at::Tensor& x, const at::Tensor& slope);

}  // namespace gs
