#include "objective/decorrelation.h"

namespace gs {

namespace {

constexpr double kShortestColumn = 1e-12;  // squared; a shorter one is constant

// Columns of weighted mean 0 and length 1; a row takes the square root of its weight.
at::Tensor standardised(const at::Tensor& z, const at::Tensor& weights) {
  at::Tensor centred;
  if (weights.defined()) {
    const at::Tensor mean = at::mv(z.t(), weights) / weights.sum();
    centred = (z - mean) * weights.sqrt().unsqueeze(1);
  } else {
    centred = z - z.mean(0, true);
  }
  const at::Tensor square = (centred * centred).sum(0, true);
  const at::Tensor constant = square < kShortestColumn;
  const at::Tensor length = at::where(constant, at::ones_like(square), square).sqrt();
  return at::where(constant, at::zeros_like(centred), centred / length);
}

at::Tensor correlation(const at::Tensor& unit) {
  const at::Tensor off = at::mm(unit.t(), unit) - at::eye(unit.size(1), unit.options());
  return (off * off).sum();
}

}  // namespace

Loss decorrelation_loss(const at::Tensor& z1, const at::Tensor& z2, double lambda,
                        const at::Tensor& weights) {
  const at::Tensor a = standardised(z1, weights), b = standardised(z2, weights);
  const at::Tensor gap = a - b;
  const at::Tensor invariance = (gap * gap).sum();
  const at::Tensor penalty = (correlation(a) + correlation(b)) * lambda;
  return {invariance + penalty,
          {{"invariance", invariance.item<double>()}, {"decorrelation", penalty.item<double>()}}};
}

}  // namespace gs
