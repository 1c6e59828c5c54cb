// What follows a product: bias, ReLU, dropout, skip sum. The native kernels fuse it into the
// product (nn/ops.h); here it stands alone, native or as plain libtorch operations.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "kernels/dropout.h"

namespace gs {

// y = skip + dropped(relu(x + bias)); what is undefined or empty is left out.
struct Finishing {
  at::Tensor bias;  // one a column
  bool relu = false;
  std::vector<DropoutRule> dropout;  // one a view; the views' columns stand side by side
  at::Tensor skip;                   // of the result's shape
  bool native = false;

  static Finishing none(bool native) {
    Finishing out;
    out.native = native;
    return out;
  }
  bool nothing() const { return !bias.defined() && !relu && dropout.empty() && !skip.defined(); }
};

at::Tensor finished(const at::Tensor& x, const Finishing& finishing);

// The plain twin.
at::Tensor finished_plainly(const at::Tensor& x, const Finishing& finishing);

}  // namespace gs
