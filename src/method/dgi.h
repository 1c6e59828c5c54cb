// Deep Graph Infomax (Velickovic et al. 2019). H = GCN(X, A) with PReLU, H~ the same with shuffled
// features, s = sigmoid(mean of H), and a discriminator D(h, s) = h' W s that separates the two:
//   -( sum_i log sigmoid D(h_i, s) + sum_j log(1 - sigmoid D(h~_j, s)) ) / 2N.
// As in the paper: one layer of width 512, Adam at .001.
#pragma once

#include "method/encoder_method.h"
#include "nn/bilinear.h"

namespace gs {

class Dgi final : public EncoderMethod {
 public:
  explicit Dgi(const MethodSetting& setting);

  Loss loss(const Batch& batch, const Step& step) override;
  // `order`: the rows of the corrupted features.
  Loss loss(const Batch& batch, const at::Tensor& order, Random masks) const;
  int64_t first_width() const override { return encoder_.width(0); }

 private:
  Bilinear discriminator_;
};

}  // namespace gs
