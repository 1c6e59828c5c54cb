#include "method/classifier.h"

#include <ATen/core/grad_mode.h>

#include "method/maker.h"
#include "options/convolutions.h"

namespace gs {

namespace {

EncoderShape classifier_shape(const MethodSetting& s) {
  const ModelOptions& model = s.options.model;
  const MethodOptions& method = s.options.method;
  EncoderShape shape;
  shape.convolution = model.encoder;
  shape.inputs = s.features, shape.outputs = s.classes;
  shape.hidden = method.hidden > 0 ? method.hidden : model.dim;
  shape.layers = model.layers;
  shape.norm = model.norm, shape.skip = model.skip;
  shape.dropout = model.dropout;
  shape.norm_last = shape.drop_last = false;
  if (convolution_info(model.encoder).attention) {
    shape.activation = Activation::elu;
    shape.heads = method.heads;
    shape.attention_dropout = method.attention_dropout;
    if (shape.hidden % shape.heads != 0)
      fail_usage("--hidden",
                 fmt::format("{} is not a multiple of {} heads", shape.hidden, shape.heads),
                 "heads are concatenated: use the number of heads times the width of one");
  }
  if (shape.skip == Skip::sum)
    fail_usage("--skip", "sum needs layers of one width, but the last has one column per class",
               "use linear or none");
  return shape;
}

}  // namespace

Classifier::Classifier(const MethodSetting& s)
    : Method(s), encoder_(parameters_, "encoder", classifier_shape(s)) {}

void Classifier::prepare(const Share& share, const Split* split) {
  const Dataset& data = share.data;
  labels_ = TrainingLabels(data.labels, *split, data.nodes(), parameters_.device().options());
}

at::Tensor Classifier::logits(const Batch& batch, const Pass& pass) const {
  const auto drop = pass.dropout(encoder_.shape().dropout, "features", 0);
  const Input x = batch.features.dropped(drop, parameters_.device().native);
  return batch.of_targets(
      encoder_.forward(x, batch.adjacency, pass, drop.empty() ? batch.aggregated : at::Tensor()));
}

Loss Classifier::loss(const Batch& batch, const Step& step) {
  const at::Tensor all = logits(batch, {true, 0, step.random});
  if (!batch.nodes.defined())
    return cross_entropy(all.index_select(0, labels_.nodes()), labels_.all(), labels_.task());
  return cross_entropy(all, labels_.of(batch.of_targets(batch.nodes)), labels_.task(),
                       batch.weights);
}

at::Tensor Classifier::output(const Batch& batch) const {
  const at::NoGradGuard no_gradient;
  return logits(batch, Pass::inference());
}

int64_t Classifier::first_width() const {
  return encoder_.shape().dropout > 0 || !encoder_.conv(0).linear() ? 0 : encoder_.width(0);
}

at::Tensor Classifier::embed(const Batch& whole, const InferenceOptions& options,
                             Progress& progress) const {
  const at::NoGradGuard no_gradient;
  LayerWise rows(whole, parameters_.device(), encoder_.shape().widest(), 2 * encoder_.layers(),
                 options, progress);
  return rows.encode(encoder_, whole.features);
}

template MethodMaker method_maker<Classifier>();

}  // namespace gs
