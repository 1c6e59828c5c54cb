#include "run/neighborhood.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "dataset/gather.h"
#include "loader/loader.h"
#include "nn/tensor.h"
#include "options/convolutions.h"
#include "options/methods.h"

namespace gs {

namespace {

constexpr int64_t kTargetsAtOnce = 1024;
// The neighborhood of more of the graph than this costs as much as the graph.
constexpr double kMostOfGraph = 0.5;

at::Tensor on_cpu(const at::Tensor& z) { return z.to(at::kCPU, at::kFloat).contiguous(); }

at::Tensor indices(std::span<const int32_t> values) {
  return at::tensor(at::ArrayRef<int32_t>(values.data(), values.size()), at::kInt).to(at::kLong);
}

// Every neighbor of every hop, in batches of target nodes.
at::Tensor by_layers(const LoadedModel& run, const Dataset& data,
                     const std::vector<int32_t>& targets, Progress& progress) {
  const ModelOptions& model = run.info.options.model;
  const auto loader =
      make_loader(data, {.loader = "neighbor", .batch_size = kTargetsAtOnce, .fanouts = {-1}},
                  {convolution_info(model.encoder).norm, model.layers, Random(0), {}, targets});
  progress.start("embedding", loader->batches(), "batches");
  LoaderWorkspace workspace;
  at::Tensor out;
  for (int64_t b = 0; b < loader->batches(); ++b) {
    const Sample sample = loader->sample(0, b, workspace);
    const Batch batch = sampled_batch(sample, run.model->parameters().device());
    const at::Tensor z = on_cpu(run.model->output(batch));
    if (!out.defined())
      out = at::empty({static_cast<int64_t>(targets.size()), z.size(1)}, at::kFloat);
    // A loader shuffles its targets.
    for (int64_t i = 0; i < sample.targets; ++i) {
      const auto place = std::ranges::lower_bound(targets, sample.nodes[static_cast<size_t>(i)]);
      out[place - targets.begin()].copy_(z[i]);
    }
    progress.advance(1);
  }
  return out;
}

// The subgraph that some nodes induce, scaled as the whole graph is.
Batch part_of(const Dataset& data, std::span<const int32_t> nodes, const std::string& convolution,
              SubgraphWorkspace& workspace, const Device& device) {
  const Csr graph = induced_subgraph(data.graph, nodes, workspace);
  const Normalization whole = normalization(data.graph, convolution_info(convolution).norm);
  LayerGraph part{{graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights},
                  {gather(whole.row_scale, nodes), gather(whole.col_scale, nodes),
                   gather(whole.self_weight, nodes)},
                  graph.symmetric};
  return {make_input(gather(data.features, nodes), device), adjacency_of({part}, device), {part}};
}

}  // namespace

at::Tensor embed_nodes(const LoadedModel& run, const Dataset& data, std::span<const int32_t> nodes,
                       const std::string& name, const InferenceOptions& options,
                       Progress& progress) {
  check_width(run.info, data, name);
  for (const int32_t node : nodes) GS_ASSERT(node >= 0 && node < data.nodes());
  const at::NoGradGuard no_gradient;
  std::vector<int32_t> targets(nodes.begin(), nodes.end());
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  // Where a node is among some ascending ones, of each of `nodes`.
  const auto places = [&](const std::vector<int32_t>& among) {
    std::vector<int32_t> out;
    for (const int32_t node : nodes)
      out.push_back(static_cast<int32_t>(std::ranges::lower_bound(among, node) - among.begin()));
    return indices(out);
  };
  const Device device = run.model->parameters().device();
  const std::string& convolution = run.info.options.model.encoder;
  const bool layered = method_info(run.info.options.method.method).loaders.allows("neighbor");
  if (layered) {
    const at::Tensor z = by_layers(run, data, targets, progress);
    progress.finish();
    return z.index_select(0, places(targets));
  }
  SubgraphWorkspace workspace;
  std::vector<int32_t> reached;
  if (const auto hops = run.model->hops())
    reached = k_hop_nodes(data.graph, targets, *hops, workspace);
  const bool small = !reached.empty() && static_cast<double>(reached.size()) <=
                                             kMostOfGraph * static_cast<double>(data.nodes());
  const Batch batch = small ? part_of(data, reached, convolution, workspace, device)
                            : whole_graph(data, convolution, device);
  const at::Tensor rows = small ? places(reached) : indices(nodes);
  const at::Tensor z = run.model->embed_rows(batch, rows, options, progress);
  progress.finish();
  return on_cpu(z);
}

}  // namespace gs
