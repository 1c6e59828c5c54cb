#include "nn/adjacency.h"

#include "nn/ops/native_sparse.h"
#include "nn/ops/torch_sparse.h"
#include "options/convolutions.h"

namespace gs {

std::shared_ptr<const SparseOperator> adjacency_for(std::string_view convolution, const Csr& graph,
                                                    const Device& device) {
  const Norm norm = convolution_info(convolution).norm;
  if (device.native) return std::make_shared<NativeSparse>(graph, norm);
  if (norm == Norm::sum)
    return scaled_operator(
        {graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights}, {}, device);
  return norm == Norm::gcn ? gcn_operator(graph, device) : mean_operator(graph, device);
}

Adjacency adjacency_of(const std::vector<LayerGraph>& graphs, const Device& device) {
  std::vector<std::shared_ptr<const SparseOperator>> layers;
  for (const LayerGraph& layer : graphs) {
    if (device.native) layers.push_back(std::make_shared<NativeSparse>(layer));
    else layers.push_back(scaled_operator(layer.matrix, layer.scales, device));
  }
  return Adjacency(std::move(layers));
}

}  // namespace gs
