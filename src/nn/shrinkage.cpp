#include "nn/shrinkage.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace gs {

namespace {

// Median of the Marchenko-Pastur law of ratio beta in (0, 1], by summing its density.
double marchenko_pastur_median(double beta) {
  constexpr int kSteps = 20000;
  const double low = std::pow(1 - std::sqrt(beta), 2), high = std::pow(1 + std::sqrt(beta), 2);
  const auto at = [&](int i) { return low + (high - low) * (i + 0.5) / kSteps; };
  const auto density = [&](double t) { return std::sqrt((high - t) * (t - low)) / t; };
  double all = 0, below = 0;
  for (int i = 0; i < kSteps; ++i) all += density(at(i));
  for (int i = 0; i < kSteps; ++i)
    if ((below += density(at(i))) >= all / 2) return at(i);
  return high;
}

}  // namespace

at::Tensor shrinkage(const at::Tensor& values, int64_t rows, int64_t columns) {
  const auto longer = static_cast<double>(std::max(rows, columns));
  const int64_t count = std::min(rows, columns);
  GS_ASSERT(values.size(0) == count && count > 0);
  const double beta = static_cast<double>(count) / longer;
  const at::Tensor squares = values.square();
  const double median = squares[count / 2].item<double>();
  if (!(median > 1e-12 * squares[0].item<double>())) return at::ones_like(values);  // no noise
  const double noise = median / marchenko_pastur_median(beta);
  const at::Tensor y = squares / noise;  // the edge is at (1 + sqrt(beta))^2
  const at::Tensor inside = ((y - beta - 1).square() - 4 * beta).clamp_min(0).sqrt();
  return at::where(y > std::pow(1 + std::sqrt(beta), 2), inside / y, 0.0);
}

}  // namespace gs
