#include "method/gca.h"

#include "method/maker.h"
#include "objective/info_nce.h"

namespace gs {

namespace {

int64_t projection_width(const MethodSetting& s) {
  return s.options.method.projection_dim > 0 ? s.options.method.projection_dim
                                             : s.options.model.dim;
}

}  // namespace

Gca::Gca(const MethodSetting& setting)
    : TwoViewMethod(setting, encoder_shape(setting, Activation::prelu, true)),
      adaptive_(options_.method == "gca"),
      first_(parameters_, "projection.0", encoder_.shape().outputs, projection_width(setting)),
      second_(parameters_, "projection.1", projection_width(setting), projection_width(setting)) {}

void Gca::prepare(const Share& share, const Split*) {
  const Dataset& data = share.data;
  nodes_ = data.nodes();
  if (!adaptive_) return;
  std::vector<double> centrality = centrality_of(data.graph, options_.centrality);
  const std::vector<double> importance = feature_importance(data.features, centrality);
  const double masks[] = {options_.feature_mask, options_.feature_mask_2};
  for (const int view : {0, 1}) columns_[view] = feature_probabilities(importance, masks[view]);
  edges_.emplace(data.graph, std::move(centrality));
}

std::string Gca::note() const {
  if (nodes_ <= kExactNodes) return {};
  return fmt::format("a step of more than {} nodes contrasts {} of them (--anchors)", kExactNodes,
                     options_.anchors);
}

ViewNoise Gca::noise(const Batch& batch, int view) const {
  ViewNoise out = TwoViewMethod::noise(batch, view);
  if (!adaptive_) return out;
  GS_ASSERT(edges_.has_value());  // by prepare()
  out.columns = columns_[view];
  const at::Tensor nodes = batch.nodes.defined() ? batch.nodes.to(at::kCPU) : at::Tensor();
  std::span<const int64_t> ids;
  if (nodes.defined()) ids = {nodes.const_data_ptr<int64_t>(), static_cast<size_t>(nodes.numel())};
  for (const LayerGraph& graph : batch.graphs)
    out.edges.push_back(edges_->probabilities(graph, ids, out.edge_drop));
  return out;
}

at::Tensor Gca::projected(const at::Tensor& h) const { return second_(at::elu(first_(h))); }

Loss Gca::loss(const Batch& batch, const ViewPair& views, const Step& step) {
  at::Tensor rows[2];
  for (const int view : {0, 1}) rows[view] = encode(encoder_, batch, views, view, step);
  at::Tensor weights = batch.weights;
  if (const int64_t count = rows[0].size(0); count > kExactNodes && options_.anchors < count) {
    const at::Tensor anchors = row_shuffle(count, step.random.fork("anchors"), parameters_.device())
                                   .slice(0, 0, options_.anchors);
    for (at::Tensor& view : rows) view = view.index_select(0, anchors);
    if (weights.defined()) weights = weights.index_select(0, anchors);
  }
  return info_nce_loss(projected(rows[0]), projected(rows[1]), options_.temperature, weights);
}

template MethodMaker method_maker<Gca>();

}  // namespace gs
