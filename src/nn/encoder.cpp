#include "nn/encoder.h"

#include <cmath>

namespace gs {

std::shared_ptr<const SparseOperator> adjacency_for(Convolution kind, const Csr& graph,
                                                    const Place& place) {
  return kind == Convolution::gcn ? gcn_operator(graph, place) : mean_operator(graph, place);
}

Encoder::Encoder(Parameters& store, const std::string& name, int64_t inputs, int64_t outputs,
                 const ModelOptions& options, int views)
    : options_(options), outputs_(outputs) {
  for (int64_t l = 0; l < options.layers; ++l) {
    const std::string prefix = name + ".layers." + std::to_string(l);
    const int64_t in = l == 0 ? inputs : outputs;
    const double linear_bound = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, in)));
    Layer layer;
    if (options.encoder == Convolution::gcn) {  // as PyG's GCNConv: Glorot weights, zero bias
      layer.weight = store.uniform(prefix + ".lin.weight", {outputs, in},
                                   std::sqrt(6.0 / static_cast<double>(in + outputs)));
      layer.bias = store.constant(prefix + ".bias", {outputs}, 0);
    } else {  // as PyG's SAGEConv: two Linear layers, the root one without bias
      layer.weight = store.uniform(prefix + ".lin_l.weight", {outputs, in}, linear_bound);
      layer.bias = store.uniform(prefix + ".lin_l.bias", {outputs}, linear_bound);
      layer.root = store.uniform(prefix + ".lin_r.weight", {outputs, in}, linear_bound);
    }
    if (options.skip == Skip::linear) {
      const std::string skip = name + ".skips." + std::to_string(l);
      layer.skip = store.uniform(skip + ".weight", {outputs, in}, linear_bound);
      layer.skip_bias = store.uniform(skip + ".bias", {outputs}, linear_bound);
    }
    if (options.norm != NormKind::none) {
      const std::string norm = name + ".norms." + std::to_string(l);
      layer.gain = store.constant(norm + ".weight", {outputs}, 1);
      layer.shift = store.constant(norm + ".bias", {outputs}, 0);
      if (options.norm == NormKind::batch) {
        layer.running_mean = store.buffer(norm + ".running_mean", {views, outputs}, 0);
        layer.running_var = store.buffer(norm + ".running_var", {views, outputs}, 1);
      }
    }
    layers_.push_back(std::move(layer));
  }
}

at::Tensor Encoder::normalised(const Layer& layer, const at::Tensor& x, const Pass& pass) const {
  switch (options_.norm) {
    case NormKind::none:
      return x;
    case NormKind::layer:
      return at::layer_norm(x, {outputs_}, layer.gain, layer.shift);
    case NormKind::batch:
      // One row has no variance to speak of: its batch uses the running statistics.
      return at::batch_norm(x, layer.gain, layer.shift, layer.running_mean[pass.view],
                            layer.running_var[pass.view], pass.training && x.size(0) > 1, 0.1, 1e-5,
                            false);
  }
  GS_ASSERT(!"norm");
}

at::Tensor Encoder::messages(int64_t l, const Input& x) const {
  return x.times(layers_[static_cast<size_t>(l)].weight);
}

at::Tensor Encoder::output(int64_t l, const at::Tensor& aggregated, const Input& x,
                           const Pass& pass) const {
  const Layer& layer = layers_[static_cast<size_t>(l)];
  at::Tensor h = aggregated + layer.bias;
  if (layer.root.defined()) h = h + x.times(layer.root);
  if (layer.skip.defined()) h = h + x.times(layer.skip) + layer.skip_bias;
  h = normalised(layer, h, pass);
  if (l + 1 < layers()) h = h.relu();
  return dropout(h, options_.dropout, pass, "encoder", l);
}

at::Tensor Encoder::forward(const Input& x, const SparseOperator& adjacency,
                            const Pass& pass) const {
  at::Tensor total;
  Input h = x;
  for (int64_t l = 0; l < layers(); ++l) {
    h = output(l, adjacency.apply(messages(l, h)), h, pass);
    total = options_.skip == Skip::sum && total.defined() ? total + h.dense() : h.dense();
  }
  return total;
}

}  // namespace gs
