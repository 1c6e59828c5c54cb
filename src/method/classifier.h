// A GNN that predicts classes, and learns from the labels of a split's training nodes:
//   logits = encoder(X, A)      layers of --hidden, the last linear with one column per class
//   loss   = cross-entropy of the training nodes (objective/cross_entropy.h)
// The methods differ in the encoder and in the batches (options/method_rows.h has the values):
//   gcn         H' = relu(D^-1/2 (A + I) D^-1/2 H W)             Kipf and Welling 2017
//   graphsage   H' = relu(mean of neighbors' H W1 + H W2)        Hamilton et al. 2017
//   gat         H' = elu(attention(H W)), heads side by side     Velickovic et al. 2018
//   clustergcn  by parts of a partition                          Chiang et al. 2019
//   graphsaint  by random subgraphs, sums and loss normalized    Zeng et al. 2020
// Dropout is on the features, on every hidden layer, and for gat on the attention weights.
#pragma once

#include "method/method.h"
#include "nn/encoder.h"
#include "objective/cross_entropy.h"

namespace gs {

class Classifier final : public Method {
 public:
  // Usage Error if the options do not describe such an encoder.
  explicit Classifier(const MethodSetting& setting);

  void prepare(const Share& share, const Split* split) override;
  Loss loss(const Batch& batch, const Step& step) override;
  at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const override;
  at::Tensor output(const Batch& batch) const override;
  int64_t first_width() const override;

 private:
  // One row per target node of the batch.
  at::Tensor logits(const Batch& batch, const Pass& pass) const;

  Encoder encoder_;
  TrainingLabels labels_;
};

}  // namespace gs
