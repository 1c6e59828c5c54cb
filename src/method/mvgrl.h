// Contrastive multi-view representation learning (Hassani and Khasahmadi 2020). The graph A and its
// diffusion S (augment/diffusion.h) are two views, each with an encoder of its own; nodes of one
// are told from corrupted ones by the readout of the other:
//   JSD( D(h_A, s_S), D(h~_A, s_S) ) / 2 + JSD( D(h_S, s_A), D(h~_S, s_A) ) / 2,
// s = sigmoid(mean h), h~ of shuffled features, D bilinear and shared. The embedding is h_A + h_S.
// As in the paper: one layer of width 512 with PReLU, alpha .2, Adam at .001; batches are clusters
// or random subgraphs where the whole graph does not fit.
#pragma once

#include <optional>

#include "augment/diffusion.h"
#include "method/encoder_method.h"
#include "nn/bilinear.h"

namespace gs {

class Mvgrl final : public Method {
 public:
  explicit Mvgrl(const MethodSetting& setting);

  void prepare(const Dataset& data, const Split*) override;
  Loss loss(const Batch& batch, const Step& step) override;
  // With the rows of the corrupted features given.
  Loss loss(const Batch& batch, const at::Tensor& order, Random masks) const;
  at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const override;
  at::Tensor output(const Batch& batch) const override;

 private:
  struct Diffusion {
    SparseMatrix of;  // the graph, kept so that it is known again by where it lies
    LayerGraph graph;
    Adjacency adjacency;
  };
  const Diffusion& diffusion_of(const SparseMatrix& graph, bool symmetric) const;
  Adjacency diffused(const Batch& batch) const;

  PprOptions ppr_;
  Encoder structure_, diffusion_;
  Bilinear discriminator_;
  mutable std::optional<Diffusion> known_;  // of the graph that was asked for last
};

}  // namespace gs
