#include "objective/jensen_shannon.h"

namespace gs {

namespace {

at::Tensor mean_of_rows(const at::Tensor& values, const at::Tensor& weights) {
  return weights.defined() ? (values * weights).mean() : values.mean();
}

}  // namespace

Loss jensen_shannon_loss(const at::Tensor& true_scores, const at::Tensor& false_scores,
                         const at::Tensor& weights) {
  const at::Tensor positive = mean_of_rows(at::softplus(-true_scores), weights) / 2;
  const at::Tensor negative = mean_of_rows(at::softplus(false_scores), weights) / 2;
  return {positive + negative,
          {{"true", positive.item<double>()}, {"false", negative.item<double>()}}};
}

at::Tensor sigmoid_mean(const at::Tensor& h, const at::Tensor& weights) {
  if (!weights.defined()) return h.mean(0).sigmoid();
  return (at::mv(h.t(), weights) / weights.sum()).sigmoid();
}

}  // namespace gs
