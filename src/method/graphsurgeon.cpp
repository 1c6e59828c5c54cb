#include "method/graphsurgeon.h"

#include <ATen/core/grad_mode.h>

#include "method/maker.h"
#include "nn/ops/linear.h"

namespace gs {

namespace {

constexpr int64_t kAgreementRows = 8192;  // compared at once

ModelOptions effective(ModelOptions options) {
  if (options.asymmetric) options.norm = NormKind::batch;
  return options;
}

bool is_pre(const ModelOptions& options) { return options.mode == AugmentMode::pre; }

}  // namespace

GraphSurgeon::GraphSurgeon(int64_t features, const ModelOptions& options, const Device& device,
                           Random random)
    : Method(features, device, random),
      options_(effective(options)),
      first_(parameters_, "heads.first", is_pre(options) ? features : options.aug_dim,
             is_pre(options) ? options.aug_dim : options.dim, options.head_layers),
      second_(parameters_, "heads.second", is_pre(options) ? features : options.aug_dim,
              is_pre(options) ? options.aug_dim : options.dim, options.head_layers),
      encoder_(parameters_, "encoder", is_pre(options) ? options.aug_dim : features,
               is_pre(options) ? options.dim : options.aug_dim, options_, is_pre(options) ? 2 : 1) {
  if (options.asymmetric) predictor_.emplace(parameters_, "predictor", options.dim, options.dim, 2);
}

GraphSurgeon::GraphSurgeon(const MethodSetting& s)
    : GraphSurgeon(s.features, s.options.model, s.device, s.random) {
  loss_ = s.options.loss;
  gamma_scale_ = s.options.loader.gamma_scale;
}

at::Tensor GraphSurgeon::heads(const Input& x, const Pass& pass) const {
  Epilogue epilogue;
  epilogue.dropout = pass.dropout(options_.dropout, "head", 0);
  epilogue.native = parameters_.device().native;
  if (options_.head_layers > 1)
    return apply_epilogue(at::cat({first_(x), second_(x)}, 1), epilogue);
  const Linear &first = first_.layers()[0], &second = second_.layers()[0];
  epilogue.bias = at::cat({first.bias(), second.bias()});
  const at::Tensor weights[] = {first.weight(), second.weight()};
  return linear(x, weights, epilogue);
}

Views GraphSurgeon::views(const Batch& batch, bool training, Random masks) const {
  const Pass both{training, 0, masks, 2, batch.numbers};
  if (is_pre(options_))
    return {batch.of_targets(encoder_.forward(heads(batch.features, both), batch.adjacency, both))};
  const Pass one{training, 0, masks, 1, batch.numbers};
  return {heads(
      batch.of_targets(encoder_.forward(batch.features, batch.adjacency, one, batch.aggregated)),
      both)};
}

Loss GraphSurgeon::loss(const Views& views, const LossOptions& options, const at::Tensor& weights,
                        const LossRows& rows) const {
  if (!predictor_)
    return eigenmaps_loss(views.both, options, parameters_.device().native, weights, rows);
  return eigenmaps_loss((*predictor_)(views.first()), views.second(), options, weights, rows);
}

// The constraints `columns` and `rows` grow with the rows of a batch: gamma makes up for a small
// batch.
LossOptions GraphSurgeon::loss_of_rows(int64_t rows) const {
  LossOptions out = loss_;
  if (gamma_scale_ == GammaScale::automatic && out.constraint != Constraint::scaled &&
      rows < nodes_)
    out.gamma *= static_cast<double>(nodes_) / static_cast<double>(rows);
  return out;
}

Loss GraphSurgeon::loss(const Batch& batch, const Step& step) {
  const Views both = views(batch, true, step.random);
  const int64_t rows = batch.loss_rows();
  return loss(both, loss_of_rows(rows), batch.weights, {*batch.ranks, rows});
}

at::Tensor GraphSurgeon::output(const Batch& batch) const {
  const at::NoGradGuard no_gradient;
  return combine(views(batch, false, Random(0)), options_.combine);
}

int64_t GraphSurgeon::first_width() const { return is_pre(options_) ? 0 : options_.aug_dim; }

at::Tensor GraphSurgeon::embed(const Batch& whole, const InferenceOptions& options,
                               Progress& progress) const {
  return combine(both_views(whole, options, progress), options_.combine);
}

Views GraphSurgeon::both_views(const Batch& whole, const InferenceOptions& options,
                               Progress& progress) const {
  const at::NoGradGuard no_gradient;
  const bool pre = is_pre(options_);
  const int64_t passes = pre ? 2 * (1 + 2 * encoder_.layers()) : 2 * encoder_.layers() + 2;
  LayerWise rows(whole, parameters_.device(), std::max(options_.aug_dim, options_.dim), passes,
                 options, progress);
  const auto head = [&](int view, const Input& x, at::Tensor& out) {
    rows.fill(out, [&](int64_t b, int64_t e) { return this->head(view)(x.slice(b, e)); });
  };
  Views views{rows.matrix(2 * options_.dim)};
  const at::Tensor encoded = pre ? at::Tensor() : rows.encode(encoder_, whole.features);
  for (const int view : {0, 1}) {
    at::Tensor out = view == 0 ? views.first() : views.second();
    if (pre) {
      at::Tensor augmented = rows.matrix(options_.aug_dim);
      head(view, whole.features, augmented);
      out.copy_(rows.encode(encoder_, augmented, Pass::inference(view)));
    } else {
      head(view, encoded, out);
    }
  }
  return views;
}

std::optional<double> GraphSurgeon::view_agreement(const Batch& whole, const at::Tensor& embeddings,
                                                   const InferenceOptions& options) const {
  const at::NoGradGuard no_gradient;
  const Views views =
      options_.combine == Combine::concat ? Views{embeddings} : both_views(whole, options);
  const at::Tensor first = views.first(), second = views.second();
  double sum = 0;
  for (int64_t begin = 0; begin < first.size(0); begin += kAgreementRows) {
    const int64_t end = std::min(first.size(0), begin + kAgreementRows);
    sum += at::cosine_similarity(first.slice(0, begin, end), second.slice(0, begin, end), 1)
               .sum(at::kDouble)
               .item<double>();
  }
  return whole.ranks->sum(sum) / static_cast<double>(whole.loss_rows());
}

at::Tensor combine(const Views& views, Combine rule) {
  switch (rule) {
    case Combine::concat:
      return views.both;
    case Combine::mean:
      return (views.first() + views.second()) / 2;
    case Combine::sum:
      return views.first() + views.second();
    case Combine::first:
      return views.first().contiguous();
  }
  GS_ASSERT(!"combine");
}

StepCost GraphSurgeon::step_cost(const RunOptions& options) {
  const ModelOptions& m = options.model;
  const auto d = static_cast<double>(m.aug_dim), k = static_cast<double>(m.dim),
             layers = static_cast<double>(m.layers);
  const bool pre = m.mode == AugmentMode::pre;
  return {.floats_per_node = pre ? 4 * d + (2 * layers + 2) * 2 * k : (2 * layers + 2) * d + 6 * k,
          .aggregates_once = !pre,
          .square_matrices = options.loss.constraint == Constraint::naive ? 4.0 : 0.0};
}

template MethodMaker method_maker<GraphSurgeon>();

}  // namespace gs
