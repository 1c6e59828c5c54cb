#include "eval/logistic_path.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "eval/lbfgs.h"
#include "nn/blas.h"

namespace gs {

namespace {

constexpr int64_t kMostAxes = 3000;   // a larger eigenproblem costs more than it saves
constexpr double kNegligible = 1e-9;  // share of the largest squared length that counts as 0
constexpr double kTolerance = 3e-4;   // gradient norm per square root of a row
constexpr int64_t kMostIterations = 300;

at::Tensor targets_of(const Labels& labels, std::span<const int32_t> nodes) {
  const auto rows = static_cast<int64_t>(nodes.size());
  at::Tensor out = at::zeros({rows, labels.classes}, at::kFloat);
  auto* value = out.data_ptr<float>();
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t node = nodes[static_cast<size_t>(i)];
    if (labels.task == Task::multilabel) {
      for (int64_t c = 0; c < labels.classes; ++c)
        value[i * labels.classes + c] = labels.multi[node * labels.classes + c] == 1 ? 1 : 0;
    } else {
      value[i * labels.classes + labels.single[node]] = 1;
    }
  }
  return out;
}

}  // namespace

LogisticPath::LogisticPath(const Input& x, const Labels& labels, std::span<const int32_t> nodes)
    : x_(x),
      multi_(labels.task == Task::multilabel),
      classes_(labels.classes),
      target_(targets_of(labels, nodes).to(x.device())) {
  rotate(x, nodes);
  solution_ = at::zeros({squares_.size(0) + 1, classes_}, squares_.options());
}

void LogisticPath::rotate(const Input& x, std::span<const int32_t> nodes) {
  rows_ = rows_of(x, nodes, at::kFloat, /*unit=*/true);
  const int64_t count = rows_.size(0), width = rows_.size(1);
  if (std::min(count, width) > kMostAxes) {
    columns_ = rows_.layout() == at::kStrided ? rows_.t() : rows_.t().to_sparse_csr();
    const at::Tensor ones = at::ones({count, 1}, target_.options());
    squares_ = rows_.layout() == at::kStrided
                   ? rows_.square().sum({0}, false, at::kDouble)
                   : at::mm(at::mul(columns_, columns_), ones).squeeze(1).to(at::kDouble);
    return;
  }
  const at::Tensor dense = rows_.layout() == at::kStrided ? rows_ : rows_.to_dense();
  const OneBlasThread alone;
  const at::Tensor tall = width <= count ? dense.t() : dense;  // its rows are the fewer
  const at::Tensor precise = tall.to(at::kDouble);
  const auto [values, vectors] = at::linalg_eigh(at::mm(precise, precise.t()));
  const int64_t all = values.size(0);
  const double least = kNegligible * std::max(values[all - 1].item<double>(), 1e-300);
  const int64_t kept = std::max<int64_t>(1, (values > least).sum().item<int64_t>());
  squares_ = values.slice(0, all - kept).clamp_min(1e-300).contiguous();
  const at::Tensor basis = vectors.slice(1, all - kept);
  if (width <= count) {
    axes_ = basis.to(at::kFloat).contiguous();
    rows_ = at::mm(dense, axes_);
  } else {
    rows_ = (basis * squares_.sqrt()).to(at::kFloat).contiguous();
    axes_ = at::mm(dense.t(), (basis / squares_.sqrt()).to(at::kFloat));
  }
  columns_ = rows_.t().contiguous();
}

LinearWeights LogisticPath::weights_of(const at::Tensor& flat, const at::Tensor& scale) const {
  const at::Tensor solution = (flat.view_as(solution_) * scale).to(at::kFloat);
  const int64_t axes = squares_.size(0);
  const at::Tensor inner = solution.slice(0, 0, axes);
  LinearWeights out = LinearWeights::zeros(x_, 1, classes_, at::kFloat);
  out.matrices(x_)[0].copy_(axes_.defined() ? at::mm(axes_, inner) : inner);
  out.b[0].copy_(solution[axes]);
  return out;
}

LinearWeights LogisticPath::fit(double c) {
  const int64_t axes = squares_.size(0), count = target_.size(0);
  // The Hessian's diagonal at weights of 0 is this share of the squared lengths, plus the penalty.
  const double share =
      multi_ ? 0.25 : (1 - 1.0 / static_cast<double>(classes_)) / static_cast<double>(classes_);
  const at::Tensor curvature = at::cat(
      {squares_ * std::max(share, 1e-3) + 1 / c,
       at::full({1}, std::max(share, 1e-3) * static_cast<double>(count), squares_.options())});
  const at::Tensor scale = curvature.rsqrt().unsqueeze(1);  // steps of equal length in all axes
  const auto objective = [&](const at::Tensor& flat) {
    const at::Tensor now = flat.view_as(solution_) * scale;
    const at::Tensor w = now.slice(0, 0, axes);
    at::Tensor scores = at::mm(rows_, w.to(at::kFloat)).add_(now[axes].to(at::kFloat));
    const at::Tensor partition =
        multi_ ? at::softplus(scores) : at::logsumexp(scores, {1}, /*keepdim=*/true);
    const double loss = partition.sum(at::kDouble).item<double>() -
                        (scores * target_).sum(at::kDouble).item<double>();
    at::Tensor gradient = multi_ ? scores.sigmoid_() : scores.softmax(1);
    gradient.sub_(target_);
    at::Tensor back = at::empty_like(solution_);
    back.slice(0, 0, axes).copy_(at::mm(columns_, gradient)).add_(w, 1 / c);
    back[axes].copy_(gradient.sum({0}, false, at::kDouble));
    return Evaluation{loss + at::sum(w.square()).item<double>() / (2 * c),
                      back.mul_(scale).view({-1})};
  };
  const Minimum found = minimize(objective, (solution_ / scale).view({-1}),
                                 {.iterations = kMostIterations,
                                  .tolerance = kTolerance * std::sqrt(static_cast<double>(count))});
  iterations_ = found.iterations;
  solution_ = found.x.view_as(solution_) * scale;
  return weights_of(found.x, scale);
}

}  // namespace gs
