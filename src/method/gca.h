// GRACE and GCA (Zhu et al. 2020, 2021): two views with edges dropped and features masked, one GCN
// encoder, a projection head g (linear, ELU, linear) and the InfoNCE loss of
// objective/info_nce.h between all nodes of both views. GRACE drops uniformly; GCA by centrality
// (augment/adaptive.h), so that unimportant edges and features change most. Embeddings are taken
// before g.
//
// The loss is exact if a step has at most kExactNodes rows. Above that, --anchors of them, drawn
// again in each step, are contrasted with each other, which bounds the cost of a step.
#pragma once

#include <optional>

#include "augment/adaptive.h"
#include "method/encoder_method.h"
#include "nn/linear.h"

namespace gs {

class Gca final : public TwoViewMethod {
 public:
  static constexpr int64_t kExactNodes = 8192;

  explicit Gca(const MethodSetting& setting);

  void prepare(const Share& share, const Split*) override;
  std::string note() const override;
  using TwoViewMethod::loss;
  Loss loss(const Batch& batch, const ViewPair& views, const Step& step) override;

 private:
  ViewNoise noise(const Batch& batch, int view) const override;
  at::Tensor projected(const at::Tensor& h) const;

  bool adaptive_;
  int64_t nodes_ = 0;  // number of nodes in the training graph
  Linear first_, second_;
  std::optional<AdaptiveEdges> edges_;
  std::vector<float> columns_[2];  // mask probabilities of the features, one vector per view
};

}  // namespace gs
