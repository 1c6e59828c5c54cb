#include "method/encoder_method.h"

#include <ATen/core/grad_mode.h>

#include "options/convolutions.h"

namespace gs {

EncoderShape encoder_shape(const MethodSetting& setting, Activation activation,
                           bool activate_last) {
  const ModelOptions& model = setting.options.model;
  EncoderShape shape;
  shape.convolution = model.encoder;
  shape.inputs = setting.features;
  shape.hidden = setting.options.method.hidden > 0 ? setting.options.method.hidden : model.dim;
  shape.outputs = model.dim;
  shape.layers = model.layers;
  shape.norm = model.norm;
  shape.skip = model.skip;
  shape.activation = activation;
  shape.activate_last = activate_last;
  shape.dropout = model.dropout;
  if (shape.skip == Skip::sum && shape.layers > 1 && shape.hidden != shape.outputs)
    fail_usage("--skip", "sum needs layers of one width",
               "leave --hidden at 0, or use --skip none");
  return shape;
}

View augmented(const Batch& batch, std::string_view convolution, const ViewNoise& noise,
               Random random, const Device& device) {
  View out{batch.features, batch.adjacency};
  const at::Tensor mask =
      column_mask(batch.features.width(), {noise.feature_mask, noise.columns, random}, device);
  if (mask.defined()) out.features = batch.features.masked(mask);
  if (noise.edges.empty() && !(noise.edge_drop > 0)) return out;
  // The whole graph and clusters have scales of their own degrees. Sampled neighborhoods and
  // saint's batches, which have weights, have the scales of the whole graph.
  const bool own = batch.square() && !batch.weights.defined();
  const Norm norm = convolution_info(convolution).norm;
  std::vector<LayerGraph> graphs;
  for (size_t l = 0; l < batch.graphs.size(); ++l) {
    EdgeDrop drop{noise.edge_drop, {}, random.fork("layer", l)};
    if (!noise.edges.empty()) drop.each = noise.edges[l];
    graphs.push_back(drop_edges(batch.graphs[l], drop, own ? &norm : nullptr));
  }
  out.adjacency = adjacency_of(graphs, device);
  return out;
}

at::Tensor EncoderMethod::embed(const Batch& whole, const InferenceOptions& options,
                                Progress& progress) const {
  const at::NoGradGuard no_gradient;
  LayerWise rows(whole, parameters_.device(), encoder_.shape().widest(), 2 * encoder_.layers(),
                 options, progress);
  return rows.encode(encoder_, whole.features);
}

at::Tensor EncoderMethod::output(const Batch& batch) const {
  const at::NoGradGuard no_gradient;
  return batch.of_targets(encoder_.forward(batch.features, batch.adjacency, Pass::inference()));
}

ViewNoise TwoViewMethod::noise(const Batch&, int view) const {
  return {view == 0 ? options_.edge_drop : options_.edge_drop_2,
          view == 0 ? options_.feature_mask : options_.feature_mask_2};
}

ViewPair TwoViewMethod::views(const Batch& batch, Random random) const {
  const auto view = [&](int v) {
    return augmented(batch, encoder_.shape().convolution, noise(batch, v), random.fork("view", v),
                     parameters_.device());
  };
  return {view(0), view(1)};
}

at::Tensor TwoViewMethod::encode(const Encoder& encoder, const Batch& batch, const ViewPair& views,
                                 int view, const Step& step) const {
  const Pass pass{true, 0, step.random.fork("view", view), 1};
  return batch.of_targets(encoder.forward(views[view].features, views[view].adjacency, pass));
}

}  // namespace gs
