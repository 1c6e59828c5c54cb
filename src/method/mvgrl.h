// Contrastive multi-view representation learning (Hassani and Khasahmadi 2020). The graph A and its
// diffusion S (augment/diffusion.h) are two views, each with its own encoder; nodes of one are
// separated from corrupted ones by the readout of the other:
//   JSD( D(h_A, s_S), D(h~_A, s_S) ) / 2 + JSD( D(h_S, s_A), D(h~_S, s_A) ) / 2,
// s = sigmoid(mean h), h~ of shuffled features, D bilinear and shared. The embedding is h_A + h_S.
// As in the paper: one layer of width 512 with PReLU, alpha .2, Adam at .001; batches are clusters
// or random subgraphs where the whole graph does not fit.
#pragma once

#include <memory>
#include <mutex>

#include "augment/diffusion.h"
#include "method/encoder_method.h"
#include "nn/bilinear.h"

namespace gs {

class Mvgrl final : public Method {
 public:
  explicit Mvgrl(const MethodSetting& setting);

  void prepare(const Share& share, const Split*) override;
  Loss loss(const Batch& batch, const Step& step) override;
  // `order`: the rows of the corrupted features.
  Loss loss(const Batch& batch, const at::Tensor& order, Random masks) const;
  at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const override;
  at::Tensor output(const Batch& batch) const override;

 private:
  struct Diffusion {
    SparseMatrix of;  // the graph, kept so that it is recognized by its address
    LayerGraph graph;
    Adjacency adjacency;
  };
  std::shared_ptr<const Diffusion> diffusion_of(const SparseMatrix& graph, bool symmetric) const;
  std::shared_ptr<const Diffusion> known() const;
  Adjacency diffused(const Batch& batch) const;

  PprOptions ppr_;
  Encoder structure_, diffusion_;
  Bilinear discriminator_;
  mutable std::mutex mutex_;                        // guards known_
  mutable std::shared_ptr<const Diffusion> known_;  // diffusion of the last graph
};

}  // namespace gs
