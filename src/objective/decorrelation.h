// CCA-SSG's objective. With A, B the views' columns brought to mean 0 and length 1,
//   |A - B|^2 + lambda ( |A'A - I|^2 + |B'B - I|^2 ):
// nodes agree between views, and dimensions do not repeat each other. Only K x K matrices are made.
#pragma once

#include "objective/loss.h"

namespace gs {

// `weights`: of the rows, or undefined. A column that is constant counts as zero.
Loss decorrelation_loss(const at::Tensor& z1, const at::Tensor& z2, double lambda,
                        const at::Tensor& weights = {});

}  // namespace gs
