// BGRL's objective: the online network's prediction from one view agrees with the target network's
// output on the other,
//   2 - mean cos(q(h1), t2) - mean cos(q(h2), t1);
// and the schedule by which the target follows: t <- tau t + (1 - tau) online, with
//   tau_k = 1 - (1 - tau_0) (cos(pi k / K) + 1) / 2,
// from tau_0 to 1.
#pragma once

#include "objective/loss.h"

namespace gs {

// Predictions and targets have one row per node; targets get no gradient. `weights`: one per row.
Loss bootstrap_loss(const at::Tensor& predicted1, const at::Tensor& target2,
                    const at::Tensor& predicted2, const at::Tensor& target1,
                    const at::Tensor& weights = {});

// tau at step `index` of `count`; the last step's is 1.
double target_momentum(double start, int64_t index, int64_t count);

}  // namespace gs
