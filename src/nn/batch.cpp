#include "nn/batch.h"

#include <ATen/core/grad_mode.h>

#include "nn/cost.h"
#include "nn/halo.h"
#include "nn/tensor.h"
#include "options/convolutions.h"

namespace gs {

namespace {

// The own rows of a shard, over own and halo columns.
LayerGraph own_rows(const Shard& shard, Norm norm) {
  const Csr& graph = shard.data.graph;
  const auto graph_owner = std::make_shared<Csr>(graph);
  LayerGraph out;
  out.matrix = {shard.own, shard.nodes(),
                Array<int64_t>(graph_owner, graph.offsets.slice(0, shard.own + 1)), graph.neighbors,
                graph.weights};
  const auto scales = std::make_shared<Normalization>(normalization(shard, norm));
  const auto first = [&](const Array<float>& all) {
    return all.empty() ? Array<float>() : Array<float>(scales, all.slice(0, shard.own));
  };
  out.scales = {first(scales->row_scale), scales->col_scale, first(scales->self_weight)};
  return out;
}

std::shared_ptr<const Halo> halo_of(const Share& share) {
  const Shard& shard = *share.shard;
  std::vector<int32_t> send;
  std::vector<int64_t> sent, received;
  for (int64_t r = 0; r < share.ranks.size(); ++r) {
    const int64_t from = share.begin(r), to = share.begin(r + 1);
    const auto rows = r == share.ranks.rank() ? std::vector<int32_t>() : shard.sent_to(from, to);
    send.insert(send.end(), rows.begin(), rows.end());
    sent.push_back(std::ssize(rows));
    received.push_back(shard.halo_offsets[static_cast<size_t>(to)] -
                       shard.halo_offsets[static_cast<size_t>(from)]);
  }
  return std::make_shared<Halo>(share.ranks, shard.own, std::move(send), std::move(sent),
                                std::move(received));
}

// Features of the own nodes, dense or sparse on all ranks alike.
Input own_features(const Share& share, const Device& device) {
  const Features& features = share.data.features;
  std::optional<bool> dense;
  if (features.sparse()) {
    const SparseMatrix& m = features.sparse_matrix();
    const double stored = share.ranks.sum(static_cast<double>(m.offsets[share.own()]));
    dense = dense_is_cheaper(share.nodes(), m.columns, static_cast<int64_t>(stored));
  }
  const Input all = make_input(features, device, dense);
  return all.rows() == share.own() ? all : all.slice(0, share.own());
}

}  // namespace

Batch whole_graph(const Share& share, std::string_view convolution, const Device& device) {
  const Csr& graph = share.data.graph;
  const Norm norm = convolution_info(convolution).norm;
  Batch out{own_features(share, device), std::shared_ptr<const SparseOperator>()};
  if (share.ranks.several()) {
    out.graphs = {own_rows(*share.shard, norm)};
    out.adjacency = halo_operator(adjacency_of(out.graphs, device).shared(), halo_of(share),
                                  {share.nodes(), share.nodes(), share.edges()});
  } else {
    out.adjacency = adjacency_for(convolution, graph, device);
    out.graphs = {{{graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights},
                   normalization(graph, norm),
                   graph.symmetric}};
  }
  out.ranks = &share.ranks;
  out.all_targets = share.nodes();
  out.numbers = share.numbers();
  return out;
}

Batch sampled_batch(const Sample& sample, const Device& device) {
  Batch batch{make_input(sample.features, device), adjacency_of(sample.layers, device),
              sample.layers};
  batch.nodes = at::tensor(at::ArrayRef<int32_t>(sample.nodes), at::kInt)
                    .to(device.options().dtype(at::kLong));
  batch.targets = sample.targets;
  batch.numbers = sample.numbers;
  if (!sample.weights.empty())
    batch.weights = view_of(sample.weights, {sample.weights.size()}).to(device.options());
  return batch;
}

void aggregate_features(Batch& batch, int64_t width) {
  const Input& x = batch.features;
  if (x.sparse() || !aggregate_once(batch.loss_rows(), x.width(), width)) return;
  const at::NoGradGuard no_gradient;
  batch.aggregated = batch.adjacency.layer(0).apply(x.dense());
}

}  // namespace gs
