// A GNN that predicts classes, and learns from the labels of a split's training nodes:
//   logits = encoder(X, A)      layers of --hidden, the last as wide as there are classes and bare
//   loss   = cross-entropy of the training nodes (objective/cross_entropy.h)
// Its names differ in the encoder and in how batches are made (config/methods.cpp has the values):
//   gcn         H' = relu(D^-1/2 (A + I) D^-1/2 H W)             Kipf and Welling 2017
//   graphsage   H' = relu(mean of neighbours' H W1 + H W2)       Hamilton et al. 2017
//   gat         H' = elu(attention(H W)), heads side by side     Velickovic et al. 2018
//   clustergcn  by parts of a partition                          Chiang et al. 2019
//   graphsaint  by random subgraphs, sums and loss normalised    Zeng et al. 2020
// Dropout is on the features, on every hidden layer, and for gat on the attention weights.
#pragma once

#include "method/method.h"
#include "nn/encoder.h"
#include "objective/cross_entropy.h"

namespace gs {

class Classifier final : public Method {
 public:
  // Usage Error when the options do not make such an encoder.
  explicit Classifier(const MethodSetting& setting);

  void prepare(const Dataset& data, const Split* split) override;
  Loss loss(const Batch& batch, const Step& step) override;
  at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const override;
  at::Tensor output(const Batch& batch) const override;
  int64_t first_width() const override;

 private:
  at::Tensor logits(const Batch& batch, const Pass& pass) const;  // of the batch's seeds

  Encoder encoder_;
  Answers answers_;
};

}  // namespace gs
