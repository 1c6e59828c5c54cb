// InfoNCE, the contrastive loss of GRACE and GCA. With unit rows a_i, b_i of two views and s(x, y)
// = x'y / t,
//   l_i = -s(a_i, b_i) + log( sum_j e^s(a_i, b_j) + sum_{j != i} e^s(a_i, a_j) ),
// l'_i the same with the views exchanged, and the loss the mean of (l_i + l'_i) / 2: every other
// node of either view is a negative. Exact, in blocks of rows: forward and backward hold one block
// x N numbers beside the inputs; backward computes each block again.
#pragma once

#include "objective/loss.h"

namespace gs {

// Normalizes the rows of z1 and z2 to unit length. `weights`: one per row, or undefined.
Loss info_nce_loss(const at::Tensor& z1, const at::Tensor& z2, double temperature,
                   const at::Tensor& weights = {}, int64_t block = 1024);

}  // namespace gs
