#include "method/mvgrl.h"

#include <ATen/core/grad_mode.h>

#include "method/maker.h"
#include "objective/jensen_shannon.h"

namespace gs {

namespace {

std::span<const int64_t> ids_of(const at::Tensor& nodes) {
  return {nodes.const_data_ptr<int64_t>(), static_cast<size_t>(nodes.numel())};
}

}  // namespace

Mvgrl::Mvgrl(const MethodSetting& setting)
    : Method(setting),
      ppr_{setting.options.method.alpha, setting.options.method.epsilon,
           setting.options.method.top_k},
      structure_(parameters_, "structure", encoder_shape(setting, Activation::prelu, true)),
      diffusion_(parameters_, "diffusion", encoder_shape(setting, Activation::prelu, true)),
      discriminator_(parameters_, "discriminator", setting.options.model.dim) {}

void Mvgrl::prepare(const Share& share, const Split*) {
  const Dataset& data = share.data;
  const Csr& graph = data.graph;
  diffusion_of({graph.nodes(), graph.nodes(), graph.offsets, graph.neighbors, graph.weights},
               graph.symmetric);
}

std::shared_ptr<const Mvgrl::Diffusion> Mvgrl::diffusion_of(const SparseMatrix& graph,
                                                            bool symmetric) const {
  const std::lock_guard lock(mutex_);
  if (!known_ || known_->of.indices.data() != graph.indices.data()) {
    LayerGraph made = ppr_diffusion({graph.offsets, graph.indices, graph.values, symmetric}, ppr_);
    Adjacency adjacency = adjacency_of({made}, parameters_.device());
    known_ =
        std::make_shared<const Diffusion>(Diffusion{graph, std::move(made), std::move(adjacency)});
  }
  return known_;
}

std::shared_ptr<const Mvgrl::Diffusion> Mvgrl::known() const {
  const std::lock_guard lock(mutex_);
  GS_ASSERT(known_);  // by prepare()
  return known_;
}

Adjacency Mvgrl::diffused(const Batch& batch) const {
  GS_ASSERT(batch.square());
  if (!batch.nodes.defined())
    return diffusion_of(batch.graphs[0].matrix, batch.graphs[0].symmetric)->adjacency;
  const at::Tensor nodes = batch.nodes.to(at::kCPU);
  return adjacency_of({diffusion_between(known()->graph, ids_of(nodes))}, parameters_.device());
}

Loss Mvgrl::loss(const Batch& batch, const at::Tensor& order, Random masks) const {
  const Adjacency diffusion = diffused(batch);
  const Input &x = batch.features, shuffled = batch.features.ordered(order);
  int view = 0;
  const auto rows = [&](const Encoder& encoder, const Input& input, const Adjacency& adjacency) {
    const Pass pass{true, 0, masks.fork("view", view++), 1};
    return batch.of_targets(encoder.forward(input, adjacency, pass));
  };
  const at::Tensor h1 = rows(structure_, x, batch.adjacency), h2 = rows(diffusion_, x, diffusion),
                   h3 = rows(structure_, shuffled, batch.adjacency),
                   h4 = rows(diffusion_, shuffled, diffusion);
  const at::Tensor s1 = sigmoid_mean(h1, batch.weights), s2 = sigmoid_mean(h2, batch.weights);
  const at::Tensor weights =
      batch.weights.defined() ? at::cat({batch.weights, batch.weights}) : at::Tensor();
  return jensen_shannon_loss(at::cat({discriminator_(h1, s2), discriminator_(h2, s1)}),
                             at::cat({discriminator_(h3, s2), discriminator_(h4, s1)}), weights);
}

Loss Mvgrl::loss(const Batch& batch, const Step& step) {
  return loss(batch, row_shuffle(batch.features.rows(), step.random, parameters_.device()),
              step.random);
}

at::Tensor Mvgrl::output(const Batch& batch) const {
  const at::NoGradGuard no_gradient;
  const Pass pass = Pass::inference();
  return batch.of_targets(structure_.forward(batch.features, batch.adjacency, pass) +
                          diffusion_.forward(batch.features, diffused(batch), pass));
}

at::Tensor Mvgrl::embed(const Batch& whole, const InferenceOptions& options,
                        Progress& progress) const {
  const at::NoGradGuard no_gradient;
  LayerWise rows(whole, parameters_.device(), structure_.shape().widest(), 4 * structure_.layers(),
                 options, progress);
  at::Tensor out = rows.encode(structure_, whole.features);
  return out.add_(rows.encode(diffusion_, whole.features, diffused(whole)));
}

template MethodMaker method_maker<Mvgrl>();

}  // namespace gs
