// References that learn nothing: the features as they are, and the features after two hops of the
// GCN's aggregation. The third, an untrained encoder, is GraphSurgeon with --epochs 0.
#pragma once

#include "method/method.h"

namespace gs {

// A X, `hops` times.
class Reference : public Method {
 public:
  Loss loss(const Batch& batch, const Step& step) override;  // never called
  at::Tensor embed(const Batch& whole, const InferenceOptions& options = {},
                   Progress& progress = no_progress()) const override;
  at::Tensor output(const Batch& batch) const override;
  std::optional<int64_t> hops() const override { return hops_; }

 protected:
  Reference(const MethodSetting& setting, int64_t hops) : Method(setting), hops_(hops) {}

 private:
  int64_t hops_;
};

class Raw final : public Reference {
 public:
  explicit Raw(const MethodSetting& setting) : Reference(setting, 0) {}
};

class Smoothed final : public Reference {
 public:
  explicit Smoothed(const MethodSetting& setting) : Reference(setting, 2) {}
};

}  // namespace gs
