// A learned skip connection: a layer's input through a linear map of its own is added to what the
// convolution made of it.
#pragma once

#include <string>

#include "nn/features.h"
#include "nn/parameters.h"

namespace gs {

class LinearSkip {
 public:
  // NAME.weight and NAME.bias, started as PyTorch's Linear is.
  LinearSkip(Parameters& store, const std::string& name, int64_t inputs, int64_t outputs);
  // h + x W' + b; the views of both stand side by side.
  at::Tensor add(const at::Tensor& h, const Input& x, int64_t views) const;

 private:
  at::Tensor weight_, bias_;  // [outputs, inputs], [outputs]
  bool native_;
};

}  // namespace gs
