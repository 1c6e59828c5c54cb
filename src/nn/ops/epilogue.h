// What follows a product: bias, ReLU, dropout, skip sum. The native kernels fuse it into the
// product (nn/ops/linear.h); here it stands alone, native or as plain libtorch operations.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "kernels/dropout.h"

namespace gs {

// y = skip + dropped(relu(x + bias)); what is undefined or empty is left out.
struct Epilogue {
  at::Tensor bias;  // one per column
  bool relu = false;
  std::vector<DropoutRule> dropout;  // one per view; the views' columns stand side by side
  at::Tensor skip;                   // of the result's shape
  bool native = false;

  static Epilogue none(bool native) {
    Epilogue out;
    out.native = native;
    return out;
  }
  bool nothing() const { return !bias.defined() && !relu && dropout.empty() && !skip.defined(); }
};

at::Tensor apply_epilogue(const at::Tensor& x, const Epilogue& epilogue);

// The plain twin.
at::Tensor plain_epilogue(const at::Tensor& x, const Epilogue& epilogue);

}  // namespace gs
