// What the self-supervised baselines have in common: one encoder, whose output is the embedding,
// and augmented views of a batch for it to read.
#pragma once

#include <array>

#include "augment/edge_drop.h"
#include "augment/feature_mask.h"
#include "method/method.h"

namespace gs {

// The encoder's shape as the options have it: --layers, --hidden, --dim, --encoder, --norm, --skip
// and --dropout.
EncoderShape encoder_shape(const MethodSetting& setting, Activation activation, bool activate_last);

class EncoderMethod : public Method {
 public:
  at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const override;
  at::Tensor output(const Batch& batch) const override;

 protected:
  EncoderMethod(const MethodSetting& setting, const EncoderShape& shape)
      : Method(setting), encoder_(parameters_, "encoder", shape) {}

  Encoder encoder_;
};

// A batch as one augmented view sees it.
struct View {
  Input features;
  Adjacency adjacency;
};
using ViewPair = std::array<View, 2>;

struct ViewNoise {
  double edge_drop = 0, feature_mask = 0;
  std::vector<std::vector<float>> edges = {};  // probabilities of a batch's graphs, if not uniform
  std::span<const float> columns = {};         // of its features, if not uniform
};

// `random`: of the view. Where no edge is dropped the batch's own adjacency is shared.
View augmented(const Batch& batch, Convolution convolution, const ViewNoise& noise, Random random,
               const Place& place);

// A method whose step compares two augmented views.
class TwoViewMethod : public EncoderMethod {
 public:
  Loss loss(const Batch& batch, const Step& step) override {
    return loss(batch, views(batch, step.random), step);
  }
  // With views that were made before.
  virtual Loss loss(const Batch& batch, const ViewPair& views, const Step& step) = 0;
  ViewPair views(const Batch& batch, Random random) const;

 protected:
  TwoViewMethod(const MethodSetting& setting, const EncoderShape& shape)
      : EncoderMethod(setting, shape), options_(setting.options.method) {}

  // Of the first view (0) or the second (1): as the options have it, uniform.
  virtual ViewNoise noise(const Batch& batch, int view) const;
  // The seeds' rows of a view in training.
  at::Tensor encode(const Encoder& encoder, const Batch& batch, const ViewPair& views, int view,
                    const Step& step) const;

  MethodOptions options_;
};

}  // namespace gs
