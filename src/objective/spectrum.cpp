#include "objective/spectrum.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "objective/eigenmaps.h"

namespace gs {

namespace {

constexpr int64_t kMostRows = 20000;
constexpr int64_t kRowsAtOnce = 2048;  // keeps copies of a block small

}  // namespace

Spectrum spectrum_of_gram(const at::Tensor& gram) {
  const at::Tensor g = gram.to(at::kCPU, at::kDouble);
  if (!at::isfinite(g).all().item<bool>()) return {{}, std::nan("")};
  const at::Tensor singular = at::linalg_eigvalsh(g).clamp_min(0).sqrt().flip({0}).contiguous();
  const double* s = singular.const_data_ptr<double>();
  double sum = 0, entropy = 0;
  for (int64_t i = 0; i < singular.numel(); ++i) sum += s[i];
  Spectrum out;
  for (int64_t i = 0; i < singular.numel(); ++i) {
    out.values.push_back(s[0] > 0 ? s[i] / s[0] : 0);
    if (s[i] > 0) entropy -= s[i] / sum * std::log(s[i] / sum);
  }
  out.effective_rank = sum > 0 ? std::exp(entropy) : 0;
  return out;
}

Spectrum spectrum_of_rows(const at::Tensor& z) {
  const at::NoGradGuard no_gradient;
  const int64_t step = std::max<int64_t>(1, (z.size(0) + kMostRows - 1) / kMostRows);
  const at::Tensor rows = z.detach().slice(0, 0, z.size(0), step);
  at::Tensor gram = at::zeros({z.size(1), z.size(1)}, z.options().dtype(at::kDouble));
  for (int64_t begin = 0; begin < rows.size(0); begin += kRowsAtOnce) {
    const at::Tensor unit = unit_rows(rows.slice(0, begin, begin + kRowsAtOnce).to(at::kDouble));
    gram.addmm_(unit.t(), unit);
  }
  return spectrum_of_gram(gram);
}

double effective_rank(const at::Tensor& z) { return spectrum_of_rows(z).effective_rank; }

}  // namespace gs
