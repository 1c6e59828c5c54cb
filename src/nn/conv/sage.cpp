// GraphSAGE's mean convolution (Hamilton et al. 2017), as PyG's SAGEConv: two Linear layers, the
// root one without a bias.
//   out = D^-1 A X W1' + b + X W2'
#include "nn/conv/make.h"

namespace gs {

class SageConv final : public LinearConv {
 public:
  explicit SageConv(const ConvSetting& s)
      : LinearConv(s,
                   {s.store.uniform(s.name + ".lin_l.weight", {s.outputs, s.inputs},
                                    linear_bound(s.inputs)),
                    s.store.uniform(s.name + ".lin_l.bias", {s.outputs}, linear_bound(s.inputs))}),
        root_(s.store.uniform(s.name + ".lin_r.weight", {s.outputs, s.inputs},
                              linear_bound(s.inputs))) {}

  at::Tensor output(const at::Tensor& aggregated, const Input& x, const Pass& pass) const override {
    return plus_bias(aggregated, pass.views) + map(x, root_, pass.views);
  }

 private:
  at::Tensor root_;  // [outputs, inputs]
};

template std::unique_ptr<const Conv> make_conv<SageConv>(const ConvSetting&);

}  // namespace gs
