#include "study/grid.h"

#include <algorithm>

#include "base/error.h"
#include "config/methods.h"
#include "dataset/catalog.h"
#include "study/experiment.h"
#include "study/paper.h"

namespace gs {

namespace {

namespace stdfs = std::filesystem;
using nlohmann::json;

std::string preset_of(const CellName& name, Protocol protocol) {
  if (name.method != "graphsurgeon") {
    const std::string own = name.method + "-" + name.dataset;
    return has_preset(own) ? own : "";
  }
  const std::string tuned = name.dataset + "-tuned";
  if (protocol == Protocol::authors && has_preset(tuned)) return tuned;
  return has_preset(name.dataset) ? name.dataset : "";
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// A method that learns nothing gives the same each time.
int64_t encoders(const CellName& name, const GridOptions& options) {
  return method_info(name.method).group == MethodGroup::reference ? 1 : options.seeds;
}

}  // namespace

void GridOptions::describe(OptionList& v) {
  v.group("Cells");
  v("protocol", protocol, "whose protocol: epochs, selection and steps of a probe");
  v("seeds", seeds, "encoders of a method that learns without labels, each probed on every split")
      .at_least(1)
      .at_most(100);
  v("runs", runs, "random splits").at_least(1).at_most(1000);
  v("quick", quick, "one encoder, three splits and a quarter of the epochs: a first look");
  v("memory", memory, "MiB that a cell may take; 0: four fifths of what is free").at_least(0);
  v("data-root", data_root,
    "folder of the catalog's datasets; default $GRAPHSURGEON_DATA, else the user's cache folder");
}

std::vector<std::string> parse_datasets(const std::string& names) {
  std::vector<std::string> known, out;
  for (const CatalogEntry& entry : catalog()) known.emplace_back(entry.name);
  for (const std::string& name : split(names, ',')) {
    const CatalogEntry* entry = find_catalog(name);
    if (!entry) fail_unknown("dataset", name, known, "--datasets");
    if (std::find(out.begin(), out.end(), entry->name) == out.end()) out.emplace_back(entry->name);
  }
  return out;
}

std::vector<CellName> parse_grid(const std::vector<std::string>& groups) {
  std::vector<CellName> out;
  for (const std::string& group : groups) {
    const size_t equals = group.find('=');
    const std::string methods_text = equals == std::string::npos ? "all" : group.substr(equals + 1);
    std::vector<std::string> chosen = split(methods_text, ',');
    if (chosen == std::vector<std::string>{"all"}) {
      chosen.clear();
      for (const MethodInfo& info : methods())
        if (!info.alias) chosen.emplace_back(info.name);
    }
    for (const std::string& method : chosen) method_info(method);
    const std::vector<std::string> datasets = parse_datasets(group.substr(0, equals));
    if (datasets.empty() || chosen.empty())
      fail_usage("bench", fmt::format("'{}' names no cell", printable(group)),
                 "as in photo,pubmed=all or cs=gcn,gat");
    for (const std::string& dataset : datasets)
      for (const std::string& method : chosen) {
        CellName name{method, dataset};
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
      }
  }
  return out;
}

RunOptions cell_options(const CellName& name, const GridOptions& options, std::string& preset) {
  json given{{"method", name.method},
             {"runs", options.quick ? std::min<int64_t>(3, options.runs) : options.runs},
             {"protocol", std::string(name_of(names_of(Protocol{}), options.protocol))}};
  if (options.memory > 0) given["memory"] = options.memory;
  preset = preset_of(name, options.protocol);
  RunOptions run = options_with(given, preset);
  if (options.quick && run.train.epochs > 20)
    run.train.epochs = std::max<int64_t>(20, run.train.epochs / 4);
  run.load.data_root = options.data_root;
  return run;
}

std::vector<Cell> run_grid(const std::vector<CellName>& names, const GridOptions& given,
                           const stdfs::path& folder, const std::atomic<bool>* stop,
                           Progress& progress,
                           const std::function<void(const std::vector<Cell>&)>& after) {
  GridOptions options = given;
  if (options.quick) options.seeds = 1;
  const Laboratory laboratory(folder, options.threads, options.data_root, stop);
  std::vector<Cell> cells;
  progress.start("cells", static_cast<int64_t>(names.size()), "cells");
  for (const CellName& name : names) {
    progress.note(fmt::format("{} on {}", name.method, name.dataset));
    std::string preset;
    const RunOptions run = cell_options(name, options, preset);
    json row = laboratory.run({fmt::format("{}-{}", name.method, name.dataset), name.dataset, run,
                               encoders(name, options)});
    row["preset"] = preset;
    if (const auto paper = paper_figure(name.method, name.dataset))
      row["paper"] = paper->out_of_memory ? json("out of memory") : json(paper->value);
    else row["paper"] = nullptr;
    cells.push_back({name, row});
    progress.advance(1);
    after(cells);
  }
  progress.finish();
  return cells;
}

}  // namespace gs
