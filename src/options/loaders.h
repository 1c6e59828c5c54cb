// The loaders by name. A row holds all that the options, the methods and the plan know about a
// loader; the class that it names is in loader/NAME.cpp.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/registry.h"

namespace gs {

struct LoaderInfo {
  std::string_view name, about;
  // One graph per layer (sampled neighborhoods) instead of one that all layers share.
  bool layered = false;
  // The sums over neighbors are reweighted to make up for the sampling.
  bool reweighted = false;
};

template <class L>
struct LoaderRow : LoaderInfo {};

class NeighborLoader;
class ClusterLoader;
class SaintLoader;

// The rows, in the order in which `--loader auto` tries them if the whole graph does not fit.
template <class Visit>
void for_each_loader(Visit&& visit) {
  visit(LoaderRow<NeighborLoader>{{.name = "neighbor",
                                   .about = "target nodes and a sample of their neighborhoods",
                                   .layered = true}});
  visit(LoaderRow<ClusterLoader>{
      {.name = "cluster", .about = "parts of a partition with few edges between the parts"}});
  visit(LoaderRow<SaintLoader>{{.name = "saint",
                                .about = "random subgraphs, reweighted to make up for the sampling",
                                .reweighted = true}});
}

inline constexpr std::string_view kFullBatch = "full";  // the whole graph, without a loader

// The row of "full", then those above.
const std::vector<LoaderInfo>& loaders();
const LoaderInfo& loader_info(std::string_view name);
std::vector<Choice> loader_choices();  // with "auto"

}  // namespace gs
