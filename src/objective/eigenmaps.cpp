#include "objective/eigenmaps.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

#include "base/error.h"
#include "kernels/eigenmaps.h"
#include "nn/blas.h"

namespace gs {

namespace {

constexpr double kShortest = 1e-12;  // shorter rows count as zero

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

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// libtorch's BLAS on one block; called from the kernel's threads, where it is single-threaded.
void gemm(bool a_transposed, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
          int64_t a_stride, const float* b, int64_t b_stride, float beta, float* c,
          int64_t c_stride) {
  const at::AutoDispatchBelowADInplaceOrView guard;
  const OneBlasThread alone;
  const auto view = [](const float* data, int64_t rows, int64_t columns, int64_t stride) {
    return at::from_blob(const_cast<float*>(data), {rows, columns}, {stride, 1}, at::kFloat);
  };
  const at::Tensor left = a_transposed ? view(a, k, m, a_stride).t() : view(a, m, k, a_stride);
  at::Tensor out = view(c, m, n, c_stride);
  out.addmm_(left, view(b, k, n, b_stride), beta, alpha);
}

// Loss and gradient come from the same two passes, so forward computes the gradient too.
struct NativeEigenmaps : torch::autograd::Function<NativeEigenmaps> {
  static Variable forward(AutogradContext* context, const Variable& both,
                          const LossOptions& options, const LossRows& all, EigenmapsTerms* terms) {
    const at::AutoDispatchBelowADInplaceOrView guard;
    const at::Tensor z = both.contiguous();
    const int64_t k = z.size(1) / 2;
    Eigenmaps call;
    call.rows = z.size(0), call.width = k, call.stride = z.size(1);
    call.z[0] = z.const_data_ptr<float>(), call.z[1] = call.z[0] + k;
    call.similarity = options.similarity_factor(all.rows, k);
    call.gamma = options.gamma;
    call.form = options.constraint == Constraint::columns ? GramForm::columns
                : options.constraint == Constraint::rows  ? GramForm::rows
                                                          : GramForm::scaled;
    if (all.ranks.several())
      call.reduce = [&](double* values, int64_t count) { all.ranks.reduce(values, count); };
    if (both.requires_grad()) {
      const at::Tensor gradient = at::empty_like(z);
      call.gradient[0] = gradient.data_ptr<float>(), call.gradient[1] = call.gradient[0] + k;
      context->save_for_backward({gradient});
    }
    *terms = eigenmaps(call, gemm);
    return at::full({}, terms->similarity + terms->constraint, z.options());
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor gradient = context->get_saved_variables()[0];
    const double factor = gradients[0].item<double>();
    return {factor == 1 ? gradient : gradient * factor, Variable(), Variable(), Variable()};
  }
};

// Whether the matrix of rows x rows is made.
bool makes_square(const LossOptions& options, const LossRows& all, int64_t width) {
  return options.constraint == Constraint::naive ||
         (options.constraint == Constraint::rows && all.rows <= width && !all.ranks.several());
}

at::Tensor constraint(const at::Tensor& z, const LossOptions& options, const LossRows& all) {
  const int64_t n = all.rows, k = z.size(1);
  if (makes_square(options, all, k)) {
    GS_ASSERT(!all.ranks.several());
    return distance_from_identity(at::mm(z, z.t()));
  }
  switch (options.constraint) {
    case Constraint::columns:
      return distance_from_identity(all.ranks.summed(at::mm(z.t(), z)));
    case Constraint::naive:
      break;
    case Constraint::rows: {
      // In double: the two large terms nearly cancel for a good embedding.
      const at::Tensor gram = all.ranks.summed(at::mm(z.t(), z).to(at::kDouble));
      const at::Tensor square = (gram * gram).sum() - 2 * gram.trace() + static_cast<double>(n);
      return safe_sqrt(square.clamp_min(0)).to(z.scalar_type());
    }
    case Constraint::scaled: {
      const at::Tensor gram =
          all.ranks.summed(at::mm(z.t(), z)) * (static_cast<double>(k) / static_cast<double>(n));
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

Loss eigenmaps_loss(const at::Tensor& z1, const at::Tensor& z2, const LossOptions& options,
                    const at::Tensor& weights, const LossRows& rows) {
  const LossRows all{rows.ranks, rows.rows < 0 ? z1.size(0) : rows.rows};
  at::Tensor a = unit_rows(z1), b = unit_rows(z2);
  if (weights.defined()) {
    const at::Tensor root = weights.sqrt().unsqueeze(1);
    a = a * root, b = b * root;
  }
  const at::Tensor gap = a - b;
  const double factor =
      options.similarity_factor(all.rows, a.size(1)) / static_cast<double>(all.rows);
  const at::Tensor similarity = all.ranks.summed((gap * gap).sum()) * factor;
  const at::Tensor penalty =
      (constraint(a, options, all) + constraint(b, options, all)) * options.gamma;
  Loss loss;
  loss.total = similarity + penalty;
  loss.terms = {{"similarity", similarity.item<double>()}, {"constraint", penalty.item<double>()}};
  return loss;
}

Loss eigenmaps_loss(const at::Tensor& both, const LossOptions& options, bool native,
                    const at::Tensor& weights, const LossRows& rows) {
  const int64_t k = both.size(1) / 2;
  const LossRows all{rows.ranks, rows.rows < 0 ? both.size(0) : rows.rows};
  if (!native || makes_square(options, all, k) || weights.defined() || !both.device().is_cpu() ||
      both.scalar_type() != at::kFloat)
    return eigenmaps_loss(both.slice(1, 0, k), both.slice(1, k, 2 * k), options, weights, all);
  EigenmapsTerms terms;
  Loss loss;
  loss.total = NativeEigenmaps::apply(both, options, all, &terms);
  loss.terms = {{"similarity", terms.similarity}, {"constraint", terms.constraint}};
  return loss;
}

}  // namespace gs
