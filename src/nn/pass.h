// How one pass through a model is made: training or not, for which views, and where its dropout
// masks come from. A mask is a function of (seed, step, layer, view, row, column); `masks` has seed
// and step in it already.
#pragma once

#include "base/array.h"
#include "base/random.h"
#include "nn/ops/epilogue.h"

namespace gs {

struct Pass {
  bool training = false;
  int view = 0;  // the first
  Random masks{0};
  int views = 1;  // that go through together, their columns side by side
  // Numbers of the rows, which masks depend on instead of their places; the first rows of a layer
  // with fewer. Empty: 0, 1, ...
  Array<int64_t> rows = {};

  static Pass inference(int view = 0) { return {false, view, Random(0), 1, {}}; }
  // The mask of each view; none when not training or the probability is 0. `site` is its name
  // ("head", "encoder") and `layer` counts within it. The pass must outlive what is drawn.
  std::vector<DropoutRule> dropout(double probability, std::string_view site, int64_t layer) const;
};

}  // namespace gs
