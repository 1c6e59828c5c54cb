// GRACE and GCA (Zhu et al. 2020, 2021): two views with edges dropped and features masked, one GCN
// encoder, a projection head g (linear, ELU, linear) and the InfoNCE contrast of
// objective/info_nce.h between all nodes of both views. GRACE drops uniformly; GCA by centrality
// (augment/adaptive.h), so that what matters little changes most. Embeddings are taken before g.
//
// The contrast is exact where a step has at most kExactNodes rows; above, --anchors of them, drawn
// anew in each step, are contrasted with each other: the cost of a step stays bounded.
#pragma once

#include <optional>

#include "augment/adaptive.h"
#include "method/encoder_method.h"

namespace gs {

class Gca final : public TwoViewMethod {
 public:
  static constexpr int64_t kExactNodes = 8192;

  explicit Gca(const MethodSetting& setting);

  void prepare(const Dataset& data, const Split*) override;
  std::string note() const override;
  using TwoViewMethod::loss;
  Loss loss(const Batch& batch, const ViewPair& views, const Step& step) override;

 private:
  ViewNoise noise(const Batch& batch, int view) const override;
  at::Tensor projected(const at::Tensor& h) const;

  bool adaptive_;
  int64_t nodes_ = 0;  // of the graph to train on
  Linear first_, second_;
  std::optional<AdaptiveEdges> edges_;
  std::vector<float> columns_[2];  // of the features, one a view
};

}  // namespace gs
