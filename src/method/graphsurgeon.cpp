#include "method/graphsurgeon.h"

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

Views GraphSurgeon::views(const Batch& batch, bool training, Random masks) const {
  const auto pass = [&](int view) { return Pass{training, view, masks}; };
  const auto head = [&](int view, const Input& x) {
    return dropout(this->head(view)(x), options_.dropout, pass(view), "head", 0);
  };
  if (is_pre(options_))
    return {encoder_.forward(head(0, batch.features), *batch.adjacency, pass(0)),
            encoder_.forward(head(1, batch.features), *batch.adjacency, pass(1))};
  const at::Tensor encoded = encoder_.forward(batch.features, *batch.adjacency, pass(0));
  return {head(0, encoded), head(1, encoded)};
}

Loss GraphSurgeon::loss(const Views& views, const LossOptions& options) const {
  return eigenmaps_loss(predictor_ ? (*predictor_)(views.first) : views.first, views.second,
                        options);
}

at::Tensor combine(const Views& views, Combine rule) {
  switch (rule) {
    case Combine::concat:
      return at::cat({views.first, views.second}, 1);
    case Combine::mean:
      return (views.first + views.second) / 2;
    case Combine::sum:
      return views.first + views.second;
    case Combine::first:
      return views.first;
  }
  GS_ASSERT(!"combine");
}

Batch whole_graph(const Dataset& data, const ModelOptions& options, const Place& place) {
  return {make_input(data.features, place), adjacency_for(options.encoder, data.graph, place)};
}

}  // namespace gs
