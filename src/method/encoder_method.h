// What the self-supervised baselines have in common: one encoder, whose output is the embedding,
// and augmented views of a batch for it to read.
#pragma once

#include "augment/edge_drop.h"
#include "augment/feature_mask.h"
#include "method/method.h"

namespace gs {

// The encoder's shape as the options have it: --layers, --hidden, --dim, --encoder, --norm, --skip
// and --dropout.
EncoderShape encoder_shape(const MethodSetting& setting, Activation activation, bool activate_last);

// A batch as one augmented view sees it.
struct View {
  Input features;
  Adjacency adjacency;
};

struct ViewNoise {
  double edge_drop = 0, feature_mask = 0;
  std::vector<std::vector<float>> edges = {};  // probabilities of a batch's graphs, if not uniform
  std::span<const float> columns = {};         // of its features, if not uniform
};

// `random`: of the view. Where no edge is dropped the batch's own adjacency is shared.
View augmented(const Batch& batch, Convolution convolution, const ViewNoise& noise, Random random,
               const Place& place);

class EncoderMethod : public Method {
 public:
  at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const override;
  at::Tensor output(const Batch& batch) const override;

  const Encoder& encoder() const { return encoder_; }

 protected:
  EncoderMethod(const MethodSetting& setting, const EncoderShape& shape)
      : Method(setting), encoder_(parameters_, "encoder", shape) {}

  // The seeds' rows of a view in training.
  at::Tensor encode(const Batch& batch, const View& view, const Pass& pass) const {
    return batch.of_seeds(encoder_.forward(view.features, view.adjacency, pass));
  }
  Convolution convolution() const { return encoder_.shape().convolution; }

  Encoder encoder_;
};

}  // namespace gs
