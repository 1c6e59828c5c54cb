// The convolutions that --encoder chooses from, by name. A row is read without libtorch: by the
// command line, which describes them, and by loaders, which normalize graphs. The class that a row
// names is in src/nn/conv/NAME.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "base/registry.h"
#include "graph/normalize.h"

namespace gs {

class GcnConv;
class SageConv;
class GatConv;

struct ConvolutionInfo {
  std::string_view name, about;
  Norm norm;       // normalization of the adjacency
  bool attention;  // learns weights of neighbors: has heads, and needs a supervised method
};

template <class C>
struct ConvolutionRow : ConvolutionInfo {};

template <class Visit>
void for_each_convolution(Visit&& visit) {
  visit(ConvolutionRow<GcnConv>{{"gcn", "symmetric normalization", Norm::gcn, false}});
  visit(
      ConvolutionRow<SageConv>{{"sage", "mean of neighbors and a root weight", Norm::mean, false}});
  visit(ConvolutionRow<GatConv>{{"gat", "attention", Norm::mean, true}});
}

// Usage Error for an unknown name.
const ConvolutionInfo& convolution_info(std::string_view name);
std::vector<Choice> convolution_choices();

}  // namespace gs
