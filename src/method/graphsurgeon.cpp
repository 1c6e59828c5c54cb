#include "method/graphsurgeon.h"

#include <ATen/core/grad_mode.h>

#include "nn/cost.h"
#include "nn/ops.h"
#include "objective/eigenmaps.h"

namespace gs {

namespace {

ModelOptions effective(ModelOptions options) {
  if (options.asymmetric) options.norm = NormKind::batch;
  return options;
}

bool is_pre(const ModelOptions& options) { return options.mode == AugmentMode::pre; }

}  // namespace

GraphSurgeon::GraphSurgeon(int64_t features, const ModelOptions& options, const Place& place,
                           Random random)
    : features_(features),
      options_(effective(options)),
      parameters_(place, random),
      first_(parameters_, "heads.first", is_pre(options) ? features : options.aug_dim,
             is_pre(options) ? options.aug_dim : options.dim, options.head_layers),
      second_(parameters_, "heads.second", is_pre(options) ? features : options.aug_dim,
              is_pre(options) ? options.aug_dim : options.dim, options.head_layers),
      encoder_(parameters_, "encoder", is_pre(options) ? options.aug_dim : features,
               is_pre(options) ? options.dim : options.aug_dim, options_, is_pre(options) ? 2 : 1) {
  if (options.asymmetric) predictor_.emplace(parameters_, "predictor", options.dim, options.dim, 2);
}

at::Tensor GraphSurgeon::heads(const Input& x, const Pass& pass) const {
  Finishing finish;
  finish.dropout = pass.dropout(options_.dropout, "head", 0);
  finish.native = parameters_.place().native;
  if (options_.head_layers > 1) return finished(at::cat({first_(x), second_(x)}, 1), finish);
  const Linear &first = first_.layers()[0], &second = second_.layers()[0];
  finish.bias = at::cat({first.bias(), second.bias()});
  const at::Tensor weights[] = {first.weight(), second.weight()};
  return linear(x, weights, finish);
}

Views GraphSurgeon::views(const Batch& batch, bool training, Random masks) const {
  const Pass both{training, 0, masks, 2};
  const auto of_seeds = [&](const at::Tensor& rows) {
    return batch.seeds < 0 || batch.seeds == rows.size(0) ? rows : rows.slice(0, 0, batch.seeds);
  };
  if (is_pre(options_))
    return {of_seeds(encoder_.forward(heads(batch.features, both), batch.adjacency, both))};
  const Pass one{training, 0, masks, 1};
  return {heads(of_seeds(encoder_.forward(batch.features, batch.adjacency, one, batch.aggregated)),
                both)};
}

Loss GraphSurgeon::loss(const Views& views, const LossOptions& options,
                        const at::Tensor& weights) const {
  if (!predictor_) return eigenmaps_loss(views.both, options, parameters_.place().native, weights);
  return eigenmaps_loss((*predictor_)(views.first()), views.second(), options, weights);
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

Batch whole_graph(const Dataset& data, const ModelOptions& options, const Place& place) {
  return {make_input(data.features, place), adjacency_for(options.encoder, data.graph, place)};
}

Batch sampled_batch(const Sample& sample, const Place& place) {
  Batch batch{make_input(sample.features, place), adjacency_of(sample, place)};
  batch.seeds = sample.seeds;
  if (!sample.weights.empty())
    batch.weights = view_of(sample.weights, {sample.weights.size()}).to(place.options());
  return batch;
}

void aggregate_features(Batch& batch, const ModelOptions& options) {
  const Input& x = batch.features;
  if (is_pre(options) || x.sparse() || !aggregate_once(x.rows(), x.width(), options.aug_dim))
    return;
  const at::NoGradGuard no_gradient;
  batch.aggregated = batch.adjacency.layer(0).apply(x.dense());
}

}  // namespace gs
