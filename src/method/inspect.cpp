#include "method/inspect.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace gs {

namespace {

constexpr int64_t kMost = 256;            // singular values and angles that are told
constexpr int64_t kSpectrumRows = 20000;  // of a large matrix, evenly spaced

// From the eigenvalues of a Gram matrix, which is small however many rows there are.
Spectrum spectrum_of(const at::Tensor& gram) {
  const at::Tensor values =
      at::linalg_eigvalsh(gram.to(at::kDouble)).clamp_min(0).sqrt().flip({0}).contiguous();
  Spectrum out;
  const double sum = values.sum().item<double>(), first = values[0].item<double>();
  const double* v = values.const_data_ptr<double>();
  double entropy = 0;
  for (int64_t i = 0; i < values.numel(); ++i) {
    if (i < kMost) out.values.push_back(first > 0 ? v[i] / first : 0);
    if (sum > 0 && v[i] > 0) entropy -= v[i] / sum * std::log(v[i] / sum);
  }
  out.effective_rank = sum > 0 ? std::exp(entropy) : 0;
  return out;
}

Spectrum spectrum_of_rows(const at::Tensor& z) {
  const int64_t step = (z.size(0) + kSpectrumRows - 1) / kSpectrumRows;
  const at::Tensor rows = z.slice(0, 0, z.size(0), std::max<int64_t>(1, step)).to(at::kDouble);
  return spectrum_of(rows.t().mm(rows));
}

at::Tensor relative_to_median(const at::Tensor& gains) {
  const double median = gains.median().item<double>();
  return median > 0 ? gains / median : gains;
}

double correlation(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a - a.mean(), y = b - b.mean();
  const double scale = (x.norm() * y.norm()).item<double>();
  return scale > 0 ? at::dot(x, y).item<double>() / scale : 0;
}

// Degrees between the subspaces that the rows of two matrices span.
std::vector<double> principal_angles(const at::Tensor& a, const at::Tensor& b) {
  const auto basis = [](const at::Tensor& m) { return std::get<0>(at::linalg_qr(m.t())); };
  const at::Tensor cosines = at::linalg_svdvals(basis(a).t().mm(basis(b))).clamp(0, 1).contiguous();
  std::vector<double> out;
  for (int64_t i = 0; i < std::min(kMost, cosines.numel()); ++i)
    out.push_back(std::acos(cosines[i].item<double>()) * 180 / std::numbers::pi);
  return out;
}

double linear_cka(const at::Tensor& x, const at::Tensor& y) {
  const at::Tensor a = x.to(at::kDouble) - x.to(at::kDouble).mean(0),
                   b = y.to(at::kDouble) - y.to(at::kDouble).mean(0);
  const double cross = a.t().mm(b).square().sum().item<double>();
  const double own = (a.t().mm(a).norm() * b.t().mm(b).norm()).item<double>();
  return own > 0 ? cross / own : 0;
}

std::vector<NodeAgreement> least(const std::vector<float>& agreement, int64_t count) {
  std::vector<int64_t> order(agreement.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto end = order.begin() + std::min<int64_t>(count, std::ssize(order));
  std::partial_sort(order.begin(), end, order.end(), [&](int64_t a, int64_t b) {
    const float x = agreement[static_cast<size_t>(a)], y = agreement[static_cast<size_t>(b)];
    return x != y ? x < y : a < b;
  });
  std::vector<NodeAgreement> out;
  for (auto it = order.begin(); it != end; ++it)
    out.push_back({*it, agreement[static_cast<size_t>(*it)]});
  return out;
}

void inspect_heads(const GraphSurgeon& model, Insight& out) {
  const at::Tensor w1 = model.head(0).layers().front().weight().to(at::kCPU, at::kDouble),
                   w2 = model.head(1).layers().front().weight().to(at::kCPU, at::kDouble);
  out.linear = model.head(0).layers().size() == 1;
  out.of_features = model.options().mode == AugmentMode::pre;
  const at::Tensor first = relative_to_median(w1.norm(2, 0)),
                   second = relative_to_median(w2.norm(2, 0));
  for (int64_t f = 0; f < first.numel(); ++f)
    out.gains.push_back({f, first[f].item<double>(), second[f].item<double>()});
  out.gain_correlation = correlation(first, second);
  out.angles = principal_angles(w1, w2);
  const double scale = (w1.norm() * w2.norm()).item<double>();
  out.weight_cosine = scale > 0 ? (w1 * w2).sum().item<double>() / scale : 0;
  const auto small_gram = [](const at::Tensor& w) {
    return w.size(0) < w.size(1) ? w.mm(w.t()) : w.t().mm(w);
  };
  out.heads[0] = spectrum_of(small_gram(w1)), out.heads[1] = spectrum_of(small_gram(w2));
}

void inspect_classes(const at::Tensor& z, const Labels& labels, Insight& out) {
  if (labels.task != Task::binary && labels.task != Task::multiclass) return;
  std::vector<std::vector<int64_t>> members(static_cast<size_t>(labels.classes));
  for (int64_t v = 0; v < z.size(0); ++v)
    if (labels.single[v] >= 0) members[static_cast<size_t>(labels.single[v])].push_back(v);
  for (int64_t c = 0; c < labels.classes; ++c) {
    const auto& nodes = members[static_cast<size_t>(c)];
    ClassInsight insight{c, std::ssize(nodes)};
    if (!nodes.empty()) {
      for (const int64_t v : nodes)
        insight.agreement +=
            out.agreement[static_cast<size_t>(v)] / static_cast<double>(nodes.size());
      insight.effective_rank =
          spectrum_of_rows(z.index_select(0, at::tensor(nodes, at::kLong))).effective_rank;
    }
    out.classes.push_back(insight);
  }
}

}  // namespace

Insight inspect(const GraphSurgeon& model, const Batch& whole, const Labels& labels, int64_t worst,
                const InferenceOptions& options, Progress& progress) {
  const at::NoGradGuard no_gradient;
  Insight out;
  inspect_heads(model, out);
  const Views views = model.both_views(whole, options, progress);
  const at::Tensor first = views.first().to(at::kCPU, at::kFloat).contiguous(),
                   second = views.second().to(at::kCPU, at::kFloat).contiguous();
  const at::Tensor cosine = at::cosine_similarity(first, second, 1).contiguous();
  out.agreement.assign(cosine.const_data_ptr<float>(),
                       cosine.const_data_ptr<float>() + cosine.numel());
  out.disagree = least(out.agreement, worst);
  out.cka = linear_cka(first, second);
  out.views[0] = spectrum_of_rows(first), out.views[1] = spectrum_of_rows(second);
  const at::Tensor z = combine({at::cat({first, second}, 1)}, model.options().combine);
  out.embedding = spectrum_of_rows(z);
  inspect_classes(z, labels, out);
  return out;
}

}  // namespace gs
