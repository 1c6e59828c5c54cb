// GraphSurgeon: two learned augmentation heads f1, f2 and one shared encoder h, trained together.
//   pre:   Z1 = h(f1(X)), Z2 = h(f2(X))      heads F to D, encoder D to K
//   post:  Z1 = f1(h(X)), Z2 = f2(h(X))      encoder F to D, heads D to K
// Dropout is after each head (with its own mask) and after each encoder layer (with its own mask
// for each view's pass). The asymmetric variant of the ablation adds batch norm to the encoder and
// a prediction head on the left network; embeddings are taken before that head.
#pragma once

#include <optional>

#include "method/method.h"
#include "nn/encoder.h"
#include "nn/linear.h"
#include "objective/eigenmaps.h"

namespace gs {

struct Views {
  at::Tensor both;  // N x 2K, side by side

  static Views of(const at::Tensor& first, const at::Tensor& second) {
    return {at::cat({first, second}, 1)};
  }
  at::Tensor first() const { return both.slice(1, 0, both.size(1) / 2); }
  at::Tensor second() const { return both.slice(1, both.size(1) / 2, both.size(1)); }
};

class GraphSurgeon final : public Method {
 public:
  explicit GraphSurgeon(const MethodSetting& setting);
  GraphSurgeon(int64_t features, const ModelOptions& options, const Device& device, Random random);

  void prepare(const Share& share, const Split*) override { nodes_ = share.nodes(); }
  Loss loss(const Batch& batch, const Step& step) override;
  at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const override;
  at::Tensor output(const Batch& batch) const override;
  std::optional<double> view_agreement(const Batch& whole, const at::Tensor& embeddings,
                                       const InferenceOptions& options) const override;
  int64_t first_width() const override;
  static StepCost step_cost(const RunOptions& options);

  // The embeddings of the batch's target nodes by both networks.
  Views views(const Batch& batch, bool training, Random masks) const;
  // `weights`: one per row, or undefined.
  Loss loss(const Views& views, const LossOptions& options, const at::Tensor& weights = {},
            const LossRows& rows = {}) const;

  // The two views that embed() combines.
  Views both_views(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const;
  const Mlp& head(int view) const { return view == 0 ? first_ : second_; }
  const ModelOptions& options() const { return options_; }

 private:
  at::Tensor heads(const Input& x, const Pass& pass) const;  // both, side by side
  LossOptions loss_of_rows(int64_t rows) const;

  ModelOptions options_;
  LossOptions loss_;
  GammaScale gamma_scale_ = GammaScale::automatic;
  int64_t nodes_ = 0;  // number of nodes in the training graph
  Mlp first_, second_;
  Encoder encoder_;
  std::optional<Mlp> predictor_;
};

at::Tensor combine(const Views& views, Combine rule);

}  // namespace gs
