// Linear maps with what follows them, native or plain: finish(x W').
#pragma once

#include <span>

#include "nn/features.h"
#include "nn/finishing.h"

namespace gs {

// finish(x [W1' W2' ...]), each W being [outputs, inputs]. With `views` above 1, x and the result
// hold that many views side by side and the one weight serves each of them.
at::Tensor linear(const Input& x, std::span<const at::Tensor> weights,
                  const Finishing& finishing = {}, int64_t views = 1);

inline at::Tensor linear(const Input& x, const at::Tensor& weight, const Finishing& finishing = {},
                         int64_t views = 1) {
  return linear(x, std::span(&weight, 1), finishing, views);
}

}  // namespace gs
