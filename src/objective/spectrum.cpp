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

namespace {

at::Tensor gram_of_unit_rows(const at::Tensor& rows) {
  at::Tensor gram = at::zeros({rows.size(1), rows.size(1)}, rows.options().dtype(at::kDouble));
  for (int64_t begin = 0; begin < rows.size(0); begin += kRowsAtOnce) {
    const at::Tensor unit = unit_rows(rows.slice(0, begin, begin + kRowsAtOnce).to(at::kDouble));
    gram.addmm_(unit.t(), unit);
  }
  return gram;
}

int64_t step_of(int64_t rows) { return std::max<int64_t>(1, (rows + kMostRows - 1) / kMostRows); }

}  // namespace

Spectrum spectrum_of_rows(const at::Tensor& z) {
  const at::NoGradGuard no_gradient;
  return spectrum_of_gram(gram_of_unit_rows(z.detach().slice(0, 0, z.size(0), step_of(z.size(0)))));
}

double effective_rank(const at::Tensor& z) { return spectrum_of_rows(z).effective_rank; }

double effective_rank(const at::Tensor& z, const Batch& batch) {
  if (batch.numbers.empty()) return effective_rank(z);
  const at::NoGradGuard no_gradient;
  std::vector<int64_t> rows;
  for (int64_t i = 0, step = step_of(batch.loss_rows()); i < z.size(0); ++i)
    if (batch.numbers[i] % step == 0) rows.push_back(i);
  at::Tensor gram = gram_of_unit_rows(z.detach().index_select(0, at::tensor(rows, at::kLong)));
  batch.ranks->reduce(gram);
  return spectrum_of_gram(gram).effective_rank;
}

}  // namespace gs
