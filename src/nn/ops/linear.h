// Linear maps with what follows them, native or plain: epilogue(x W').
#pragma once

#include <span>

#include "nn/features.h"
#include "nn/ops/epilogue.h"

namespace gs {

// epilogue(x [W1' W2' ...]), each W being [outputs, inputs]. With `views` above 1, x and the result
// hold that many views side by side and the one weight serves each of them.
at::Tensor linear(const Input& x, std::span<const at::Tensor> weights,
                  const Epilogue& epilogue = {}, int64_t views = 1);

inline at::Tensor linear(const Input& x, const at::Tensor& weight, const Epilogue& epilogue = {},
                         int64_t views = 1) {
  return linear(x, std::span(&weight, 1), epilogue, views);
}

// One bias per view, side by side.
inline at::Tensor repeated(const at::Tensor& bias, int64_t views) {
  return views == 1 ? bias : bias.repeat({views});
}

}  // namespace gs
