#include "nn/batch.h"

#include <ATen/core/grad_mode.h>

#include "nn/cost.h"
#include "nn/tensor.h"
#include "options/convolutions.h"

namespace gs {

Batch whole_graph(const Dataset& data, std::string_view convolution, const Device& device) {
  const Csr& graph = data.graph;
  return {make_input(data.features, device),
          adjacency_for(convolution, graph, device),
          {{{graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights},
            normalization(graph, convolution_info(convolution).norm),
            graph.symmetric}}};
}

Batch sampled_batch(const Sample& sample, const Device& device) {
  Batch batch{make_input(sample.features, device), adjacency_of(sample.layers, device),
              sample.layers};
  batch.nodes = at::tensor(at::ArrayRef<int32_t>(sample.nodes), at::kInt)
                    .to(device.options().dtype(at::kLong));
  batch.targets = sample.targets;
  if (!sample.weights.empty())
    batch.weights = view_of(sample.weights, {sample.weights.size()}).to(device.options());
  return batch;
}

void aggregate_features(Batch& batch, int64_t width) {
  const Input& x = batch.features;
  if (x.sparse() || !aggregate_once(x.rows(), x.width(), width)) return;
  const at::NoGradGuard no_gradient;
  batch.aggregated = batch.adjacency.layer(0).apply(x.dense());
}

}  // namespace gs
