#include "nn/encoder.h"

#include <cmath>

#include "nn/cost.h"
#include "nn/ops.h"
#include "nn/prelu.h"

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

double glorot_bound(int64_t in, int64_t out) {
  return std::sqrt(6.0 / static_cast<double>(in + out));
}

}  // namespace

Encoder::Encoder(Parameters& store, const std::string& name, int64_t inputs, int64_t outputs,
                 const ModelOptions& options, int views)
    : Encoder(store, name, shape_of(inputs, outputs, options), views) {}

Encoder::Encoder(Parameters& store, const std::string& name, const EncoderShape& shape, int views)
    : shape_(shape), native_(store.place().native) {
  GS_ASSERT(shape.skip != Skip::sum || shape.layers == 1 || shape.hidden == shape.outputs);
  for (int64_t l = 0; l < shape.layers; ++l) {
    const std::string prefix = name + ".layers." + std::to_string(l);
    const int64_t in = l == 0 ? shape.inputs : shape.hidden;
    const int64_t out = is_last(l) ? shape.outputs : shape.hidden;
    const double linear_bound = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, in)));
    Layer layer;
    if (shape.convolution != Convolution::sage) {  // as PyG's GCNConv: Glorot weights, zero bias
      layer.weight = store.uniform(prefix + ".lin.weight", {out, in}, glorot_bound(in, out));
      layer.bias = store.constant(prefix + ".bias", {out}, 0);
      if (attends()) {  // as PyG's GATConv
        const int64_t own = heads(l), width = out / own;
        GS_ASSERT(out % own == 0);
        for (const auto& [vector, end] : {std::pair{&layer.attention.source, ".att_src"},
                                          {&layer.attention.target, ".att_dst"}})
          *vector = store.uniform(prefix + end, {1, own, width}, glorot_bound(own, width));
      }
    } else {  // as PyG's SAGEConv: two Linear layers, the root one without bias
      layer.weight = store.uniform(prefix + ".lin_l.weight", {out, in}, linear_bound);
      layer.bias = store.uniform(prefix + ".lin_l.bias", {out}, linear_bound);
      layer.root = store.uniform(prefix + ".lin_r.weight", {out, in}, linear_bound);
    }
    if (shape.skip == Skip::linear) {
      const std::string skip = name + ".skips." + std::to_string(l);
      layer.skip = store.uniform(skip + ".weight", {out, in}, linear_bound);
      layer.skip_bias = store.uniform(skip + ".bias", {out}, linear_bound);
    }
    if (shape.norm != NormKind::none && (shape.norm_last || !is_last(l))) {
      const std::string norm = name + ".norms." + std::to_string(l);
      layer.gain = store.constant(norm + ".weight", {out}, 1);
      layer.shift = store.constant(norm + ".bias", {out}, 0);
      if (shape.norm == NormKind::batch) {
        layer.running_mean = store.buffer(norm + ".running_mean", {views, out}, 0);
        layer.running_var = store.buffer(norm + ".running_var", {views, out}, 1);
      }
    }
    if (shape.activation == Activation::prelu && activates(l))
      layer.slope = store.constant(name + ".slopes." + std::to_string(l), {1}, 0.25);
    layers_.push_back(std::move(layer));
  }
}

at::Tensor Encoder::normalised(const Layer& layer, const at::Tensor& x, const Pass& pass) const {
  if (!layer.gain.defined()) return x;
  const int64_t width = layer.gain.size(0);
  if (shape_.norm == NormKind::layer)
    return at::layer_norm(x.reshape({-1, width}), {width}, layer.gain, layer.shift).view(x.sizes());
  std::vector<at::Tensor> views;
  for (int v = 0; v < pass.views; ++v) {
    const at::Tensor mean = layer.running_mean[pass.view + v],
                     variance = layer.running_var[pass.view + v];
    // One row has no variance to speak of: its batch uses the running statistics.
    const bool training = pass.training && x.size(0) > 1;
    views.push_back(at::batch_norm(x.slice(1, v * width, (v + 1) * width).contiguous(), layer.gain,
                                   layer.shift, mean, variance, training, 0.1, 1e-5, false));
  }
  return views.size() == 1 ? views[0] : at::cat(views, 1);
}

at::Tensor Encoder::activated(int64_t l, const at::Tensor& x) const {
  if (!activates(l)) return x;
  switch (shape_.activation) {
    case Activation::relu:
      return x;  // the finishing has it
    case Activation::prelu:
      return gs::prelu(x, layers_[static_cast<size_t>(l)].slope);
    case Activation::elu:
      return at::elu(x);
  }
  GS_ASSERT(!"activation");
}

namespace {

at::Tensor repeated(const at::Tensor& bias, int64_t views) {
  return views == 1 ? bias : bias.repeat({views});
}

}  // namespace

bool Encoder::is_plain(const Layer& layer) const {
  return !attends() && !layer.root.defined() && !layer.skip.defined() && !layer.gain.defined() &&
         shape_.activation == Activation::relu;
}

bool Encoder::aggregates_first(const Layer& layer, const Input& x,
                               const SparseOperator& adjacency) const {
  return !x.sparse() && !attends() &&
         aggregating_first_is_cheaper(adjacency.rows(), adjacency.columns(), adjacency.nonzeros(),
                                      layer.weight.size(1), layer.weight.size(0));
}

Finishing Encoder::finishing(int64_t l, const Pass& pass) const {
  Finishing out;
  out.relu = activates(l) && shape_.activation == Activation::relu;
  if (shape_.drop_last || !is_last(l)) out.dropout = pass.dropout(shape_.dropout, "encoder", l);
  out.native = native_;
  return out;
}

at::Tensor Encoder::messages(int64_t l, const Input& x, int64_t views) const {
  return linear(x, layers_[static_cast<size_t>(l)].weight, Finishing::none(native_), views);
}

AttentionOptions Encoder::attention(int64_t l, const Pass& pass) const {
  AttentionOptions out;
  out.heads = heads(l) * pass.views;
  out.dropout = pass.dropout(shape_.attention_dropout, "attention", l);
  return out;
}

at::Tensor Encoder::aggregate(int64_t l, const SparseOperator& adjacency,
                              const at::Tensor& messages, const Pass& pass) const {
  if (!attends()) return adjacency.apply(messages);
  return adjacency.attend(messages, layers_[static_cast<size_t>(l)].attention, attention(l, pass));
}

Scores Encoder::scores(int64_t l, const SparseOperator& adjacency,
                       const at::Tensor& messages) const {
  if (!attends()) return {};
  return adjacency.scores(messages, layers_[static_cast<size_t>(l)].attention, heads(l));
}

at::Tensor Encoder::aggregate(int64_t l, const SparseOperator& block, const at::Tensor& messages,
                              const Scores& scores, int64_t first_row) const {
  if (!attends()) return block.apply(messages);
  const at::Tensor targets = scores.target.slice(0, first_row, first_row + block.rows());
  return block.attend(messages, Scores{scores.source, targets}, attention(l, Pass::inference()));
}

at::Tensor Encoder::output(int64_t l, const at::Tensor& aggregated, const Input& x,
                           const Pass& pass) const {
  const Layer& layer = layers_[static_cast<size_t>(l)];
  const auto map = [&](const at::Tensor& weight) {
    return linear(x, weight, Finishing::none(native_), pass.views);
  };
  at::Tensor h = aggregated + repeated(layer.bias, pass.views);
  if (layer.root.defined()) h = h + map(layer.root);
  if (layer.skip.defined()) h = h + map(layer.skip) + repeated(layer.skip_bias, pass.views);
  return finished(activated(l, normalised(layer, h, pass)), finishing(l, pass));
}

at::Tensor Encoder::plain_layer(int64_t l, const Input& x, const SparseOperator& adjacency,
                                const Pass& pass, const at::Tensor& aggregated,
                                const at::Tensor& skip) const {
  const Layer& layer = layers_[static_cast<size_t>(l)];
  Finishing finish = finishing(l, pass);
  finish.bias = repeated(layer.bias, pass.views);
  finish.skip = skip;
  if (aggregated.defined()) return linear(aggregated, layer.weight, finish, pass.views);
  if (aggregates_first(layer, x, adjacency))
    return linear(adjacency.apply(x.dense()), layer.weight, finish, pass.views);
  return adjacency.apply(messages(l, x, pass.views), finish);
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
    if (is_plain(layer)) {
      // The last layer's own output is needed nowhere else: it is added to the sum as it is made.
      out = plain_layer(l, h, a, pass, known, last && sum ? total : at::Tensor());
      if (last && sum) return out;
    } else {
      const at::Tensor heard = known.defined()                 ? known
                               : aggregates_first(layer, h, a) ? a.apply(h.dense())
                                                               : at::Tensor();
      const at::Tensor sums = heard.defined() ? messages(l, heard, pass.views)
                                              : aggregate(l, a, messages(l, h, pass.views), pass);
      out = output(l, sums, a.rows() == h.rows() ? h : h.slice(0, a.rows()), pass);
    }
    h = out;
    total = sum ? total + out : out;
  }
  return total;
}

}  // namespace gs
