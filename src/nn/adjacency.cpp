#include "nn/adjacency.h"

#include "nn/native_sparse.h"
#include "nn/torch_sparse.h"

namespace gs {

Norm norm_of(Convolution kind) { return kind == Convolution::gcn ? Norm::gcn : Norm::mean; }

std::shared_ptr<const SparseOperator> adjacency_for(Convolution kind, const Csr& graph,
                                                    const Place& place) {
  if (place.native) return std::make_shared<NativeSparse>(graph, norm_of(kind));
  return kind == Convolution::gcn ? gcn_operator(graph, place) : mean_operator(graph, place);
}

Adjacency adjacency_of(const std::vector<LayerGraph>& graphs, const Place& place) {
  std::vector<std::shared_ptr<const SparseOperator>> layers;
  for (const LayerGraph& layer : graphs) {
    if (place.native) layers.push_back(std::make_shared<NativeSparse>(layer));
    else layers.push_back(scaled_operator(layer.matrix, layer.scales, place));
  }
  return Adjacency(std::move(layers));
}

}  // namespace gs
