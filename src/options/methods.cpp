#include "options/methods.h"

#include "base/error.h"
#include "options/method_rows.h"

namespace gs {

bool LoaderRule::allows(std::string_view loader) const {
  if (loader == "auto") return true;
  if (!only.empty()) return loader == only;
  const LoaderInfo& info = loader_info(loader);
  return (layered || !info.layered) && (reweighted || !info.reweighted);
}

std::span<const MethodInfo> methods() {
  static const std::vector<MethodInfo> all = [] {
    std::vector<MethodInfo> rows;
    for_each_method([&](const MethodInfo& row) { rows.push_back(row); });
    return rows;
  }();
  return all;
}

const MethodInfo& method_info(std::string_view name) {
  std::vector<std::string> known;
  for (const MethodInfo& info : methods()) {
    if (info.name == name) return info;
    known.emplace_back(info.name);
  }
  fail_unknown("method", name, known, "--method");
}

std::vector<Choice> method_choices() {
  std::vector<Choice> out;
  for (const MethodInfo& info : methods())
    out.push_back({std::string(info.name), std::string(info.about)});
  return out;
}

RunOptions default_options(const MethodInfo& method) {
  RunOptions options;
  options.method.method = method.name;
  if (method.defaults) method.defaults(options);
  return options;
}

}  // namespace gs
