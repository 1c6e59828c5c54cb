#include "objective/decorrelation.h"

namespace gs {

namespace {

constexpr double kShortestColumn = 1e-12;  // squared length; shorter columns are constant

// Columns with weighted mean 0 and length 1; each row is multiplied by the square root of its
// weight.
at::Tensor standardized(const at::Tensor& z, const at::Tensor& weights) {
  at::Tensor centered;
  if (weights.defined()) {
    const at::Tensor mean = at::mv(z.t(), weights) / weights.sum();
    centered = (z - mean) * weights.sqrt().unsqueeze(1);
  } else {
    centered = z - z.mean(0, true);
  }
  const at::Tensor square = (centered * centered).sum(0, true);
  const at::Tensor constant = square < kShortestColumn;
  const at::Tensor length = at::where(constant, at::ones_like(square), square).sqrt();
  return at::where(constant, at::zeros_like(centered), centered / length);
}

at::Tensor correlation(const at::Tensor& unit) {
  const at::Tensor off = at::mm(unit.t(), unit) - at::eye(unit.size(1), unit.options());
  return (off * off).sum();
}

}  // namespace

Loss decorrelation_loss(const at::Tensor& z1, const at::Tensor& z2, double lambda,
                        const at::Tensor& weights) {
  const at::Tensor a = standardized(z1, weights), b = standardized(z2, weights);
  const at::Tensor gap = a - b;
  const at::Tensor invariance = (gap * gap).sum();
  const at::Tensor penalty = (correlation(a) + correlation(b)) * lambda;
  return {invariance + penalty,
          {{"invariance", invariance.item<double>()}, {"decorrelation", penalty.item<double>()}}};
}

}  // namespace gs
