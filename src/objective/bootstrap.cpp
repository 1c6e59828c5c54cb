#include "objective/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "objective/eigenmaps.h"

namespace gs {

namespace {

// 1 - cos, computed as |x - y|^2 / 2 of unit rows, which does not cancel.
at::Tensor disagreement(const at::Tensor& predicted, const at::Tensor& target,
                        const at::Tensor& weights) {
  const at::Tensor gap = unit_rows(predicted) - unit_rows(target.detach());
  const at::Tensor rows = (gap * gap).sum(1) / 2;
  return weights.defined() ? (rows * weights).mean() : rows.mean();
}

}  // namespace

Loss bootstrap_loss(const at::Tensor& predicted1, const at::Tensor& target2,
                    const at::Tensor& predicted2, const at::Tensor& target1,
                    const at::Tensor& weights) {
  const at::Tensor first = disagreement(predicted1, target2, weights),
                   second = disagreement(predicted2, target1, weights);
  return {first + second, {{"first", first.item<double>()}, {"second", second.item<double>()}}};
}

double target_momentum(double start, int64_t index, int64_t count) {
  const double done =
      static_cast<double>(index) / static_cast<double>(std::max<int64_t>(1, count - 1));
  return 1 - (1 - start) * (std::cos(std::numbers::pi * std::min(1.0, done)) + 1) / 2;
}

}  // namespace gs
