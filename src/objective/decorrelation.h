// CCA-SSG's objective. With A, B the views' columns standardized to mean 0 and length 1,
//   |A - B|^2 + lambda ( |A'A - I|^2 + |B'B - I|^2 ):
// nodes agree between views, and dimensions are decorrelated. Only K x K matrices are made.
#pragma once

#include "objective/loss.h"

namespace gs {

// `weights`: one per row, or undefined. A constant column counts as zero.
Loss decorrelation_loss(const at::Tensor& z1, const at::Tensor& z2, double lambda,
                        const at::Tensor& weights = {});

}  // namespace gs
