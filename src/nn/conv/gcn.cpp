// Graph convolution (Kipf and Welling 2017), as PyG's GCNConv with Glorot weights and a zero bias:
//   out = D^-1/2 (A + I) D^-1/2 X W' + b
#include "nn/conv/make.h"

namespace gs {

class GcnConv final : public LinearConv {
 public:
  explicit GcnConv(const ConvSetting& s)
      : LinearConv(s, {s.store.uniform(s.name + ".lin.weight", {s.outputs, s.inputs},
                                       glorot_bound(s.inputs, s.outputs)),
                       s.store.constant(s.name + ".bias", {s.outputs}, 0)}) {}

  at::Tensor output(const at::Tensor& aggregated, const Input& /*x*/,
                    const Pass& pass) const override {
    return plus_bias(aggregated, pass.views);
  }
  bool fuses() const override { return true; }
};

template std::unique_ptr<const Conv> make_conv<GcnConv>(const ConvSetting&);

}  // namespace gs
