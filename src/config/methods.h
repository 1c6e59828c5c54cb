// The methods by name, torch-free: what they are, which loaders they work with, and the values they
// start from. method/table.cpp has their makers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/loader_options.h"

namespace gs {

enum class MethodGroup {
  ours,
  supervised,       // learns from the labels of a split's training nodes
  self_supervised,  // learns from the graph alone, and is probed
  reference         // learns nothing
};

struct MethodInfo {
  std::string_view name;
  MethodGroup group;
  std::string_view summary;
  std::vector<LoaderKind> loaders;
  std::string_view defaults;  // options that differ from those of --help, as a JSON object
  bool alias = false;         // another name of a method: not a row of its own in tables

  bool supervised() const { return group == MethodGroup::supervised; }
  bool works_with(LoaderKind loader) const;
};

std::span<const MethodInfo> methods();
// Usage Error with the nearest name when there is none.
const MethodInfo& method_info(std::string_view name);

}  // namespace gs
