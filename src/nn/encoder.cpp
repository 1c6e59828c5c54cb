#include "nn/encoder.h"

#include "base/error.h"

namespace gs {

namespace {

EncoderShape shape_of(int64_t inputs, int64_t outputs, const ModelOptions& options) {
  EncoderShape shape;
  shape.convolution = options.encoder;
  shape.inputs = inputs;
  shape.hidden = shape.outputs = outputs;
  shape.layers = options.layers;
  shape.norm = options.norm;
  shape.skip = options.skip;
  shape.dropout = options.dropout;
  return shape;
}

}  // namespace

Encoder::Encoder(Parameters& store, const std::string& name, int64_t inputs, int64_t outputs,
                 const ModelOptions& options, int views)
    : Encoder(store, name, shape_of(inputs, outputs, options), views) {}

Encoder::Encoder(Parameters& store, const std::string& name, const EncoderShape& shape, int views)
    : shape_(shape), native_(store.device().native) {
  GS_ASSERT(shape.skip != Skip::sum || shape.layers == 1 || shape.hidden == shape.outputs);
  for (int64_t l = 0; l < shape.layers; ++l) layers_.push_back(make_layer(store, name, l, views));
}

Encoder::Layer Encoder::make_layer(Parameters& store, const std::string& name, int64_t l,
                                   int views) const {
  const auto named = [&](const char* part) { return name + "." + part + "." + std::to_string(l); };
  const int64_t in = l == 0 ? shape_.inputs : shape_.hidden;
  const int64_t out = is_last(l) ? shape_.outputs : shape_.hidden;
  Layer layer;
  layer.conv =
      make_conv(shape_.convolution, {store, named("layers"), l, in, out,
                                     is_last(l) ? 1 : shape_.heads, shape_.attention_dropout});
  if (shape_.skip == Skip::linear) layer.skip.emplace(store, named("skips"), in, out);
  if (shape_.norm_last || !is_last(l))
    layer.norm = make_norm(shape_.norm, store, named("norms"), out, views);
  if (activates(l)) layer.activation = make_activation(shape_.activation, store, named("slopes"));
  layer.fuses =
      layer.conv->fuses() && !layer.skip && !layer.norm && shape_.activation == Activation::relu;
  return layer;
}

Epilogue Encoder::epilogue(int64_t l, const Pass& pass) const {
  Epilogue out;
  out.relu = activates(l) && shape_.activation == Activation::relu;
  if (shape_.drop_last || !is_last(l)) out.dropout = pass.dropout(shape_.dropout, "encoder", l);
  out.native = native_;
  return out;
}

at::Tensor Encoder::after_conv(int64_t l, at::Tensor h, const Input& x, const Pass& pass) const {
  const Layer& layer = layers_[static_cast<size_t>(l)];
  if (layer.skip) h = layer.skip->add(h, x, pass.views);
  if (layer.norm) h = (*layer.norm)(h, pass);
  if (layer.activation) h = layer.activation(h);
  return apply_epilogue(h, epilogue(l, pass));
}

at::Tensor Encoder::output(int64_t l, const at::Tensor& aggregated, const Input& x,
                           const Pass& pass) const {
  return after_conv(l, conv(l).output(aggregated, x, pass), x, pass);
}

at::Tensor Encoder::forward(const Input& x, const Adjacency& adjacency, const Pass& pass,
                            const at::Tensor& aggregated) const {
  at::Tensor total;
  Input h = x;
  for (int64_t l = 0; l < layers(); ++l) {
    const Layer& layer = layers_[static_cast<size_t>(l)];
    const SparseOperator& a = adjacency.layer(l);
    const at::Tensor known = l == 0 ? aggregated : at::Tensor();
    if (total.defined()) total = total.slice(0, 0, a.rows());
    const bool sum = shape_.skip == Skip::sum && total.defined(), last = is_last(l);
    at::Tensor out;
    if (layer.fuses) {
      // The last layer's own output is needed nowhere else: it is added to the sum as it is made.
      Epilogue after = epilogue(l, pass);
      if (last && sum) after.skip = total;
      out = layer.conv->fused(h, a, pass, known, std::move(after));
      if (last && sum) return out;
    } else {
      const Input targets = a.rows() == h.rows() ? h : h.slice(0, a.rows());
      out = after_conv(l, layer.conv->forward(h, a, pass, known), targets, pass);
    }
    h = out;
    total = sum ? total + out : out;
  }
  return total;
}

}  // namespace gs
