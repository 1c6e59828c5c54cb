// Normalization of a layer's output, after the convolution and before the activation.
#pragma once

#include <memory>
#include <string>

#include "nn/parameters.h"
#include "nn/pass.h"
#include "options/model.h"

namespace gs {

class NormLayer {
 public:
  virtual ~NormLayer() = default;
  // [rows, views * width] -> the same shape. In training, batch norm updates the running statistics
  // of the pass's views.
  virtual at::Tensor operator()(const at::Tensor& x, const Pass& pass) const = 0;
};

// With a learned gain and shift, NAME.weight and NAME.bias; null for NormKind::none. `views` is how
// many views keep batch-norm statistics of their own.
std::unique_ptr<const NormLayer> make_norm(NormKind kind, Parameters& store,
                                           const std::string& name, int64_t width, int64_t views);

}  // namespace gs
