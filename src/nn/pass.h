// How one pass through a model is made: training or not, and where its dropout masks come from. A
// mask is a function of (seed, step, layer, view, row, column); `masks` has seed and step in it
// already.
#pragma once

#include <ATen/ATen.h>

#include "base/random.h"

namespace gs {

struct Pass {
  bool training = false;
  int view = 0;
  Random masks{0};

  static Pass inference(int view = 0) { return {false, view, Random(0)}; }
};

// x with each element dropped with `probability` and the rest scaled up; x itself when not
// training. `place` names the site ("head", "encoder") and `layer` counts within it.
at::Tensor dropout(const at::Tensor& x, double probability, const Pass& pass,
                   std::string_view place, int64_t layer);

}  // namespace gs
