// The contrast of DGI and MVGRL: a discriminator's scores of true pairs against those of false
// ones. As binary cross-entropy, which is the Jensen-Shannon estimator of mutual information but
// for a constant:
//   ( mean softplus(-true) + mean softplus(false) ) / 2.
// Rows may have weights, so that a sample stands for the whole.
#pragma once

#include "objective/loss.h"

namespace gs {

// Scores of any equal shape, a row a node.
Loss jensen_shannon_loss(const at::Tensor& true_scores, const at::Tensor& false_scores,
                         const at::Tensor& weights = {});

// DGI's readout, sigmoid of the mean row: [N, K] -> [K].
at::Tensor sigmoid_mean(const at::Tensor& h, const at::Tensor& weights = {});

}  // namespace gs
