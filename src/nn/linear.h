// Dense layers: y = x W' + b, started as PyTorch's Linear is; and an MLP of them with ReLU between.
#pragma once

#include <string>
#include <vector>

#include "nn/features.h"
#include "nn/parameters.h"
#include "nn/pass.h"

namespace gs {

class Linear {
 public:
  Linear(Parameters& store, const std::string& name, int64_t inputs, int64_t outputs,
         bool bias = true);
  at::Tensor operator()(const Input& x) const;
  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }

 private:
  at::Tensor weight_, bias_;  // [outputs, inputs], [outputs] or undefined
};

// An augmentation head f: `layers` linear maps with ReLU between. With one layer its names are
// NAME.weight and NAME.bias, with more NAME.0.weight and so on; hidden layers have the output's
// width.
class Mlp {
 public:
  Mlp(Parameters& store, const std::string& name, int64_t inputs, int64_t outputs, int64_t layers);
  at::Tensor operator()(const Input& x) const;
  const std::vector<Linear>& layers() const { return layers_; }

 private:
  std::vector<Linear> layers_;
};

}  // namespace gs
