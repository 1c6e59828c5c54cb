// CCA-SSG (Zhang et al. 2021): two views with edges dropped and features masked, one encoder, and
// the loss of objective/decorrelation.h, |A - B|^2 + lambda (|A'A - I|^2 + |B'B - I|^2) on columns
// of length 1. Neither negatives nor a second network.
#pragma once

#include "method/encoder_method.h"

namespace gs {

class CcaSsg final : public TwoViewMethod {
 public:
  explicit CcaSsg(const MethodSetting& setting);

  using TwoViewMethod::loss;
  Loss loss(const Batch& batch, const ViewPair& views, const Step& step) override;
};

}  // namespace gs
