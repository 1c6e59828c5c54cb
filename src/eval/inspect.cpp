#include "eval/inspect.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>

#include "nn/finite.h"
#include "objective/eigenmaps.h"

namespace gs {

namespace {

at::Tensor relative_to_median(const at::Tensor& gains) {
  const double median = gains.median().item<double>();
  return median > 0 ? gains / median : gains;
}

double correlation(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a - a.mean(), y = b - b.mean();
  const double scale = (x.norm() * y.norm()).item<double>();
  return scale > 0 ? at::dot(x, y).item<double>() / scale : 0;
}

// Degrees between the subspaces that the columns of two matrices span.
std::vector<double> principal_angles(const at::Tensor& a, const at::Tensor& b) {
  const auto basis = [](const at::Tensor& m) { return std::get<0>(at::linalg_qr(m)); };
  const at::Tensor cosines = at::linalg_svdvals(basis(a).t().mm(basis(b))).clamp(0, 1).contiguous();
  std::vector<double> out;
  for (int64_t i = 0; i < cosines.numel(); ++i)
    out.push_back(std::acos(cosines[i].item<double>()) * 180 / std::numbers::pi);
  return out;
}

// The effect of each feature on the two views of a node without neighbors, [F, K] per view: the
// view with that feature alone minus the one without any.
std::pair<at::Tensor, at::Tensor> effects_on_lone_nodes(const GraphSurgeon& model,
                                                        int64_t features) {
  std::vector<int64_t> loops(static_cast<size_t>(features) + 2);
  std::iota(loops.begin(), loops.end(), int64_t{0});
  std::vector<int32_t> self(static_cast<size_t>(features) + 1);
  std::iota(self.begin(), self.end(), 0);
  std::vector<int64_t> one_each(loops.begin(), loops.end() - 1);
  one_each.push_back(features);  // the last node has none
  std::vector<int32_t> own(self.begin(), self.end() - 1);
  Dataset lone;
  lone.graph = {std::move(loops), std::move(self), {}, true};
  lone.features = {
      SparseMatrix{features + 1, features, std::move(one_each), std::move(own), Array<float>()}};
  const Views views =
      model.both_views(whole_graph(lone, model.options().encoder, model.parameters().device()));
  const auto effects = [&](const at::Tensor& view) {
    const at::Tensor rows = view.to(at::kCPU, at::kDouble);
    return rows.slice(0, 0, features) - rows[features];
  };
  return {effects(views.first()), effects(views.second())};
}

// `effects`: [F, columns].
Mixing mixing_of(const at::Tensor& effects, int64_t top) {
  Mixing out;
  const at::Tensor squares = effects.square();
  const at::Tensor each = squares.sum(0).square() / squares.square().sum(0).clamp_min(1e-300);
  out.features_each = each.median().item<double>();
  const int64_t count = std::min(top, effects.size(0));
  if (count == 0 || effects.size(0) < 2) return out;
  const at::Tensor strongest = std::get<1>(at::topk(effects.norm(2, 1), count)).contiguous();
  const at::Tensor unit = unit_rows(effects);
  const at::Tensor cosines = unit.index_select(0, strongest).mm(unit.t());
  at::Tensor closeness = cosines.abs();
  closeness.scatter_(1, strongest.unsqueeze(1), -1);  // not with itself
  const at::Tensor with = closeness.argmax(1).contiguous();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t other = with[i].item<int64_t>();
    out.closest.push_back({strongest[i].item<int64_t>(), other, cosines[i][other].item<double>()});
  }
  return out;
}

double linear_cka(const at::Tensor& x, const at::Tensor& y) {
  const at::Tensor a = x.to(at::kDouble) - x.to(at::kDouble).mean(0),
                   b = y.to(at::kDouble) - y.to(at::kDouble).mean(0);
  // Row by row: one sum over everything would round by the number of threads.
  const auto squares = [](const at::Tensor& m) { return m.square().sum(1).sum().item<double>(); };
  const double cross = squares(a.t().mm(b));
  const double own = std::sqrt(squares(a.t().mm(a)) * squares(b.t().mm(b)));
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

void inspect_heads(const GraphSurgeon& model, int64_t features, int64_t top, Insight& out) {
  const at::Tensor w1 = model.head(0).layers().front().weight().to(at::kCPU, at::kDouble),
                   w2 = model.head(1).layers().front().weight().to(at::kCPU, at::kDouble);
  out.linear = model.head(0).layers().size() == 1;
  out.of_features = model.options().mode == AugmentMode::pre;
  const auto [e1, e2] =
      out.of_features ? std::pair(w1.t(), w2.t()) : effects_on_lone_nodes(model, features);
  const at::Tensor first = relative_to_median(e1.norm(2, 1)),
                   second = relative_to_median(e2.norm(2, 1));
  for (int64_t f = 0; f < first.numel(); ++f)
    out.gains.push_back({f, first[f].item<double>(), second[f].item<double>()});
  out.gain_correlation = correlation(first, second);
  out.mixing[0] = mixing_of(e1, top), out.mixing[1] = mixing_of(e2, top);
  const int64_t written = w1.size(0), read = w1.size(1);
  out.angles_of_outputs = written > read;
  if (written < read) out.angles = principal_angles(w1.t(), w2.t());
  if (written > read) out.angles = principal_angles(w1, w2);
  const double scale = (w1.norm() * w2.norm()).item<double>();
  out.weight_cosine = scale > 0 ? (w1 * w2).sum().item<double>() / scale : 0;
  const auto small_gram = [](const at::Tensor& w) {
    return w.size(0) < w.size(1) ? w.mm(w.t()) : w.t().mm(w);
  };
  out.heads[0] = spectrum_of_gram(small_gram(w1)), out.heads[1] = spectrum_of_gram(small_gram(w2));
}

// `agreement`: of each node's views; empty if there is one view.
std::vector<ClassInsight> inspect_classes(const at::Tensor& z, const Labels& labels,
                                          std::span<const float> agreement) {
  std::vector<ClassInsight> out;
  if (labels.task == Task::none) return out;
  std::vector<std::vector<int64_t>> members(static_cast<size_t>(labels.classes));
  for (int64_t v = 0; v < z.size(0); ++v) {
    if (!labels.known(v)) continue;
    if (labels.task != Task::multilabel)
      members[static_cast<size_t>(labels.single[v])].push_back(v);
    else
      for (int64_t c = 0; c < labels.classes; ++c)
        if (labels.multi[v * labels.classes + c] == 1) members[static_cast<size_t>(c)].push_back(v);
  }
  for (int64_t c = 0; c < labels.classes; ++c) {
    const auto& nodes = members[static_cast<size_t>(c)];
    ClassInsight insight{c, std::ssize(nodes)};
    if (!nodes.empty()) {
      for (const int64_t v : nodes)
        if (!agreement.empty())
          insight.agreement +=
              agreement[static_cast<size_t>(v)] / static_cast<double>(nodes.size());
      insight.effective_rank =
          spectrum_of_rows(z.index_select(0, at::tensor(nodes, at::kLong))).effective_rank;
    }
    out.push_back(insight);
  }
  return out;
}

// `energy`: the squared lengths of the part's columns.
PartInsight inspect_part(const at::Tensor& directions, const at::Tensor& energy, double all,
                         int64_t top) {
  PartInsight out;
  out.columns = directions.size(1);
  const double total = energy.sum().item<double>();
  if (total <= 0) return out;
  out.share = total / all;
  const at::Tensor shares = energy / total;
  out.effective_rank = std::exp(-at::xlogy(shares, shares).sum().item<double>());
  const auto [values, columns] = shares.topk(std::min<int64_t>(top, shares.size(0)));
  for (int64_t i = 0; i < columns.size(0) && values[i].item<double>() > 0; ++i) {
    DirectionInsight direction{values[i].item<double>(), {}};
    const at::Tensor column = directions.select(1, columns[i].item<int64_t>()).to(at::kDouble);
    const at::Tensor weights = column / column.abs().max().clamp_min(1e-30);
    const at::Tensor order =
        std::get<1>(weights.abs().topk(std::min<int64_t>(top, weights.size(0))));
    for (int64_t k = 0; k < order.size(0); ++k) {
      const auto feature = order[k].item<int64_t>();
      direction.features.push_back({feature, weights[feature].item<double>()});
    }
    out.leading.push_back(std::move(direction));
  }
  return out;
}

}  // namespace

Insight inspect(const GraphSurgeon& model, const Batch& whole, const Labels& labels, int64_t top,
                const InferenceOptions& options, Progress& progress) {
  const at::NoGradGuard no_gradient;
  Insight out;
  inspect_heads(model, whole.features.width(), top, out);
  const Views views = model.both_views(whole, options, progress);
  const at::Tensor first = views.first().to(at::kCPU, at::kFloat).contiguous(),
                   second = views.second().to(at::kCPU, at::kFloat).contiguous();
  check_finite(first), check_finite(second);
  const at::Tensor cosine = at::cosine_similarity(first, second, 1).contiguous();
  out.agreement.assign(cosine.const_data_ptr<float>(),
                       cosine.const_data_ptr<float>() + cosine.numel());
  out.disagree = least(out.agreement, top);
  out.cka = linear_cka(first, second);
  out.views[0] = spectrum_of_rows(first), out.views[1] = spectrum_of_rows(second);
  const at::Tensor z = combine({at::cat({first, second}, 1)}, model.options().combine);
  out.embedding = spectrum_of_rows(z);
  out.classes = inspect_classes(z, labels, out.agreement);
  return out;
}

SolvedInsight inspect(const Spectral& model, const Batch& whole, const Labels& labels, int64_t top,
                      const InferenceOptions& options, Progress& progress) {
  const at::NoGradGuard no_gradient;
  SolvedInsight out;
  const at::Tensor z = model.embed(whole, options, progress).to(at::kCPU, at::kFloat);
  check_finite(z);
  const at::Tensor energy = z.square().sum({0}, false, at::kDouble);
  const double all = std::max(1e-30, energy.sum().item<double>());
  int64_t column = 0;
  for (const at::Tensor& directions : model.directions()) {
    const int64_t end = column + directions.size(1);
    out.parts.push_back(
        inspect_part(directions.to(at::kCPU), energy.slice(0, column, end), all, top));
    column = end;
  }
  out.magnitudes_share = energy.slice(0, column).sum().item<double>() / all;
  out.embedding = spectrum_of_rows(z);
  out.classes = inspect_classes(z, labels, {});
  return out;
}

}  // namespace gs
