#include "objective/eigenmaps.h"

#include <cmath>

#include "base/error.h"

namespace gs {

namespace {

constexpr double kShortest = 1e-12;  // rows below this length are zero

// sqrt with a zero gradient at 0, where the norm has a kink.
at::Tensor safe_sqrt(const at::Tensor& square) {
  const at::Tensor positive = square > 0;
  const at::Tensor safe = at::where(positive, square, at::ones_like(square));
  return at::where(positive, safe.sqrt(), at::zeros_like(square));
}

at::Tensor distance_from_identity(const at::Tensor& gram) {
  const at::Tensor difference = gram - at::eye(gram.size(0), gram.options());
  return safe_sqrt((difference * difference).sum());
}

at::Tensor constraint(const at::Tensor& z, Constraint form) {
  const int64_t n = z.size(0), k = z.size(1);
  switch (form) {
    case Constraint::columns:
      return distance_from_identity(at::mm(z.t(), z));
    case Constraint::naive:
      return distance_from_identity(at::mm(z, z.t()));
    case Constraint::rows: {
      if (n <= k) return distance_from_identity(at::mm(z, z.t()));
      // In double: the two large terms nearly cancel for a good embedding.
      const at::Tensor gram = at::mm(z.t(), z).to(at::kDouble);
      const at::Tensor square = (gram * gram).sum() - 2 * gram.trace() + static_cast<double>(n);
      return safe_sqrt(square.clamp_min(0)).to(z.scalar_type());
    }
    case Constraint::scaled: {
      const at::Tensor gram = at::mm(z.t(), z) * (static_cast<double>(k) / static_cast<double>(n));
      const at::Tensor difference = gram - at::eye(k, gram.options());
      return (difference * difference).sum();
    }
  }
  GS_ASSERT(!"constraint");
}

}  // namespace

at::Tensor unit_rows(const at::Tensor& z) {
  const at::Tensor square = (z * z).sum(1, /*keepdim=*/true);
  const at::Tensor zero = square < kShortest * kShortest;
  const at::Tensor length = at::where(zero, at::ones_like(square), square).sqrt();
  return at::where(zero, at::zeros_like(z), z / length);
}

Loss eigenmaps_loss(const at::Tensor& z1, const at::Tensor& z2, const LossOptions& options) {
  const at::Tensor a = unit_rows(z1), b = unit_rows(z2);
  const at::Tensor gap = a - b;
  const double factor = options.similarity_factor(a.size(0), a.size(1));
  const at::Tensor similarity = (gap * gap).sum(1).mean() * factor;
  const at::Tensor penalty =
      (constraint(a, options.constraint) + constraint(b, options.constraint)) * options.gamma;
  Loss loss;
  loss.total = similarity + penalty;
  loss.terms = {{"similarity", similarity.item<double>()}, {"constraint", penalty.item<double>()}};
  return loss;
}

double effective_rank(const at::Tensor& z) {
  const at::NoGradGuard no_gradient;
  const at::Tensor unit = unit_rows(z.detach());
  const at::Tensor gram = at::mm(unit.t(), unit).to(at::kCPU, at::kDouble);
  if (!at::isfinite(gram).all().item<bool>()) return std::nan("");
  const at::Tensor singular = at::linalg_eigvalsh(gram).clamp_min(0).sqrt();
  const double total = singular.sum().item<double>();
  if (total <= 0) return 0;
  const at::Tensor share = singular / total;
  return std::exp(-at::xlogy(share, share).sum().item<double>());
}

}  // namespace gs
