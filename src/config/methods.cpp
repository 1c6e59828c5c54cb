#include "config/methods.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace gs {

namespace {

using enum LoaderKind;
const std::vector<LoaderKind> kAnyLoader{full, neighbor, cluster, saint};

const MethodInfo kMethods[] = {
    {"graphsurgeon", MethodGroup::ours,
     "two learned augmentation heads and one encoder, under a Laplacian-Eigenmaps loss", kAnyLoader,
     "{}"},
};

}  // namespace

bool MethodInfo::works_with(LoaderKind loader) const {
  return loader == automatic || std::find(loaders.begin(), loaders.end(), loader) != loaders.end();
}

std::span<const MethodInfo> methods() { return kMethods; }

const MethodInfo& method_info(std::string_view name) {
  std::vector<std::string> known;
  for (const MethodInfo& info : kMethods) {
    if (info.name == name) return info;
    known.emplace_back(info.name);
  }
  fail_unknown("method", std::string(name), known, "--method");
}

}  // namespace gs
