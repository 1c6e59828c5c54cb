// The common part of the self-supervised baselines: one encoder, whose output is the embedding, and
// augmented views of a batch as its input.
#pragma once

#include <array>

#include "augment/edge_drop.h"
#include "augment/feature_mask.h"
#include "method/method.h"

namespace gs {

// The encoder's shape according to the options: --layers, --hidden, --dim, --encoder, --norm,
// --skip and --dropout.
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
  std::vector<std::vector<float>> edges = {};  // per entry of a batch's graphs, if not uniform
  std::span<const float> columns = {};         // per column of its features, if not uniform
};

// `random`: the view's random stream. If no edge is dropped, the batch's own adjacency is shared.
View augmented(const Batch& batch, std::string_view convolution, const ViewNoise& noise,
               Random random, const Device& device);

// A method whose step compares two augmented views.
class TwoViewMethod : public EncoderMethod {
 public:
  Loss loss(const Batch& batch, const Step& step) override {
    return loss(batch, views(batch, step.random), step);
  }
  // The loss of the given views.
  virtual Loss loss(const Batch& batch, const ViewPair& views, const Step& step) = 0;
  ViewPair views(const Batch& batch, Random random) const;

 protected:
  TwoViewMethod(const MethodSetting& setting, const EncoderShape& shape)
      : EncoderMethod(setting, shape), options_(setting.options.method) {}

  // The noise of the first view (0) or the second (1): uniform, as in the options.
  virtual ViewNoise noise(const Batch& batch, int view) const;
  // The target nodes' rows of a view in training.
  at::Tensor encode(const Encoder& encoder, const Batch& batch, const ViewPair& views, int view,
                    const Step& step) const;

  MethodOptions options_;
};

}  // namespace gs
