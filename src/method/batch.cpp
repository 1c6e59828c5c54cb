#include "method/batch.h"

#include <ATen/core/grad_mode.h>

#include "nn/cost.h"

namespace gs {

Batch whole_graph(const Dataset& data, Convolution convolution, const Place& place) {
  const Csr& graph = data.graph;
  return {make_input(data.features, place),
          adjacency_for(convolution, graph, place),
          {{{graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights},
            normalization(graph, norm_of(convolution)),
            graph.symmetric}}};
}

Batch sampled_batch(const Sample& sample, const Place& place) {
  Batch batch{make_input(sample.features, place), adjacency_of(sample.layers, place),
              sample.layers};
  batch.nodes = at::tensor(at::ArrayRef<int32_t>(sample.nodes), at::kInt)
                    .to(place.options().dtype(at::kLong));
  batch.seeds = sample.seeds;
  if (!sample.weights.empty())
    batch.weights = view_of(sample.weights, {sample.weights.size()}).to(place.options());
  return batch;
}

void aggregate_features(Batch& batch, int64_t width) {
  const Input& x = batch.features;
  if (x.sparse() || !aggregate_once(x.rows(), x.width(), width)) return;
  const at::NoGradGuard no_gradient;
  batch.aggregated = batch.adjacency.layer(0).apply(x.dense());
}

}  // namespace gs
