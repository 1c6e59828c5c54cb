// BGRL (Thakoor et al. 2021), and SelfGNN (Kefato and Girdzijauskas 2021), which differs in little
// and shares a row in the paper's table. An online encoder e with a predictor q, and a target
// encoder t that follows e slowly; two views with edges dropped and features masked:
//   2 - mean cos(q(e(V1)), t(V2)) - mean cos(q(e(V2)), t(V1)).
// objective/bootstrap.h has the loss and the schedule of t, which gets no gradient and starts as e.
// Batch norm and PReLU after each layer; q is linear, PReLU, linear. No negatives.
#pragma once

#include "method/encoder_method.h"
#include "nn/linear.h"

namespace gs {

class Bgrl final : public TwoViewMethod {
 public:
  explicit Bgrl(const MethodSetting& setting);

  using TwoViewMethod::loss;
  Loss loss(const Batch& batch, const ViewPair& views, const Step& step) override;
  void after(const Step& step) override;

 private:
  at::Tensor predicted(const at::Tensor& h) const;

  Linear first_, second_;
  at::Tensor slope_;
  Parameters target_weights_;  // stored as buffers of the method
  Encoder target_;
};

}  // namespace gs
