// GraphSurgeon: two learned augmentation heads f1, f2 and one shared encoder h, trained together.
//   pre:   Z1 = h(f1(X)), Z2 = h(f2(X))      heads F to D, encoder D to K
//   post:  Z1 = f1(h(X)), Z2 = f2(h(X))      encoder F to D, heads D to K
// Dropout is behind each head (its own mask) and behind each encoder layer (its own mask for each
// view's pass). The asymmetric variant of the ablation adds batch norm to the encoder and a
// prediction head on the left network; embeddings are taken before that head.
#pragma once

#include <optional>

#include "config/loss_options.h"
#include "nn/encoder.h"
#include "objective/loss.h"

namespace gs {

struct Views {
  at::Tensor both;  // N x 2K, side by side

  static Views of(const at::Tensor& first, const at::Tensor& second) {
    return {at::cat({first, second}, 1)};
  }
  at::Tensor first() const { return both.slice(1, 0, both.size(1) / 2); }
  at::Tensor second() const { return both.slice(1, both.size(1) / 2, both.size(1)); }
};

// What a model computes on, at one place: the whole graph, or a sample of it.
struct Batch {
  Input features;
  Adjacency adjacency;
  at::Tensor aggregated{};  // A x, or undefined: see aggregate_features()
  int64_t seeds = -1;       // the loss is on the first so many rows; -1: on all
  at::Tensor weights{};     // of the seeds in the loss, or undefined: all ones
};

class GraphSurgeon {
 public:
  GraphSurgeon(int64_t features, const ModelOptions& options, const Place& place, Random random);

  // The embeddings of both networks, of the batch's seeds.
  Views views(const Batch& batch, bool training, Random masks) const;
  // `weights`: of the rows, or undefined.
  Loss loss(const Views& views, const LossOptions& options, const at::Tensor& weights = {}) const;

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  const ModelOptions& options() const { return options_; }
  const Encoder& encoder() const { return encoder_; }
  const Mlp& head(int view) const { return view == 0 ? first_ : second_; }
  int64_t features() const { return features_; }

 private:
  at::Tensor heads(const Input& x, const Pass& pass) const;  // both, side by side

  int64_t features_;
  ModelOptions options_;
  Parameters parameters_;
  Mlp first_, second_;
  Encoder encoder_;
  std::optional<Mlp> predictor_;
};

at::Tensor combine(const Views& views, Combine rule);

Batch whole_graph(const Dataset& data, const ModelOptions& options, const Place& place);
Batch sampled_batch(const Sample& sample, const Place& place);

// For the steps of training, which then share one A x: makes it where that pays.
void aggregate_features(Batch& batch, const ModelOptions& options);

}  // namespace gs
