// The contrastive loss of DGI and MVGRL: a discriminator's scores of true pairs against those of
// false ones. Computed as binary cross-entropy, which is the Jensen-Shannon estimator of mutual
// information up to a constant:
//   ( mean softplus(-true) + mean softplus(false) ) / 2.
// Rows may have weights, so that a sample represents the whole graph.
#pragma once

#include "objective/loss.h"

namespace gs {

// Scores of any equal shape, one row per node.
Loss jensen_shannon_loss(const at::Tensor& true_scores, const at::Tensor& false_scores,
                         const at::Tensor& weights = {});

// DGI's readout, sigmoid of the mean row: [N, K] -> [K].
at::Tensor sigmoid_mean(const at::Tensor& h, const at::Tensor& weights = {});

}  // namespace gs
