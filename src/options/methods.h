// The methods by name. A row holds all that the command line, the plan and the tables know about a
// method: its group, the loaders it works with, its own defaults and a description. The class that
// the row names is in method/NAME.{h,cpp}; nothing here needs libtorch.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options/loaders.h"
#include "options/run.h"

namespace gs {

enum class MethodGroup {
  ours,
  supervised,       // learns from the labels of a split's training nodes
  self_supervised,  // learns from the graph alone, and is probed
  reference         // learns nothing
};

// Which loaders a method works with.
struct LoaderRule {
  bool layered = true;         // those with one graph per layer
  bool reweighted = true;      // those that reweight the sums over neighbors
  std::string_view only = {};  // only this one

  bool allows(std::string_view loader) const;
};

struct MethodInfo {
  std::string_view name;
  MethodGroup group = MethodGroup::self_supervised;
  std::string_view about;
  LoaderRule loaders = {};
  void (*defaults)(RunOptions&) = nullptr;  // sets what differs from the options' own defaults
  bool alias = false;                       // another name of a method: gets no row in tables
  bool solved = false;                      // at once, instead of in epochs

  bool supervised() const { return group == MethodGroup::supervised; }
  bool trains() const { return group != MethodGroup::reference && !solved; }
};

std::span<const MethodInfo> methods();
// Usage Error with the nearest name if there is none.
const MethodInfo& method_info(std::string_view name);
std::vector<Choice> method_choices();
// The options of all methods, with this method's own defaults.
RunOptions default_options(const MethodInfo& method);

template <class M>
struct MethodRow : MethodInfo {};

}  // namespace gs
