// The contrast of GRACE and GCA. With unit rows a_i, b_i of two views and s(x, y) = x'y / t,
//   l_i = -s(a_i, b_i) + log( sum_j e^s(a_i, b_j) + sum_{j != i} e^s(a_i, a_j) ),
// l'_i the same with the views exchanged, and the loss the mean of (l_i + l'_i) / 2: every other
// node of either view is a negative. Exact, in blocks of rows: beside the inputs a block times N
// numbers are held, forward and backward, which makes each block again.
#pragma once

#include "objective/loss.h"

namespace gs {

// Rows of z1 and z2 are brought to unit length here. `weights`: of the rows, or undefined.
Loss info_nce_loss(const at::Tensor& z1, const at::Tensor& z2, double temperature,
                   const at::Tensor& weights = {}, int64_t block = 1024);

}  // namespace gs
