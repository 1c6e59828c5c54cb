#include "options/loaders.h"

namespace gs {

const std::vector<LoaderInfo>& loaders() {
  static const std::vector<LoaderInfo> all = [] {
    std::vector<LoaderInfo> rows{{.name = kFullBatch, .about = "the whole graph in every step"}};
    for_each_loader([&](const LoaderInfo& row) { rows.push_back(row); });
    return rows;
  }();
  return all;
}

const LoaderInfo& loader_info(std::string_view name) {
  std::vector<std::string> known;
  for (const LoaderInfo& info : loaders()) {
    if (info.name == name) return info;
    known.emplace_back(info.name);
  }
  fail_unknown("loader", name, known, "--loader");
}

std::vector<Choice> loader_choices() {
  std::vector<Choice> out{{"auto", "full where it fits into memory, otherwise a sampled loader"}};
  for (const LoaderInfo& info : loaders())
    out.push_back({std::string(info.name), std::string(info.about)});
  return out;
}

}  // namespace gs
