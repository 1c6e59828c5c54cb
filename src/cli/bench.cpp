#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/command.h"
#include "config/methods.h"
#include "dataset/catalog.h"
#include "study/grid.h"
#include "study/tables.h"

namespace gs::cli {

namespace {

struct What {
  std::string datasets = "all", methods = "all";

  void describe(OptionList& v) {
    v.group("Which");
    v("datasets", datasets, "catalog names, as photo,cs; all: those of the paper that are here");
    v("methods", methods, "as gcn,dgi,graphsurgeon; all: every one");
  }
};

// The cells that are asked for, without those whose data is not here, which are named.
std::vector<CellName> wanted(const What& what, const std::vector<std::string>& groups,
                             const GridOptions& options, const CommonOptions& common) {
  std::vector<std::string> all = groups;
  if (all.empty()) {
    std::string datasets = what.datasets;
    if (datasets == "all") {
      std::vector<std::string_view> paper;
      for (const CatalogEntry& entry : catalog())
        if (entry.in_paper) paper.push_back(entry.name);
      datasets = fmt::format("{}", fmt::join(paper, ","));
    }
    all.push_back(datasets + "=" + what.methods);
  }
  const auto root = data_root(options.data_root);
  std::vector<CellName> out;
  std::vector<std::string> absent;
  for (CellName& cell : parse_grid(all)) {
    if (locate(*find_catalog(cell.dataset), root)) out.push_back(std::move(cell));
    else if (std::find(absent.begin(), absent.end(), cell.dataset) == absent.end())
      absent.push_back(cell.dataset);
  }
  if (!absent.empty())
    say(common,
        fmt::format("not here, and left out: {} ('graphsurgeon data fetch NAME' gets one)\n",
                    fmt::join(absent, ", ")));
  if (out.empty())
    fail_data(root.string(), "has none of the datasets",
              "fetch one with 'graphsurgeon data fetch NAME', or name the folder with --data-root");
  return out;
}

nlohmann::json to_json(const std::vector<Cell>& cells) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Cell& cell : cells) rows.push_back(cell.row);
  const Claim claim = check_claim(cells);
  return {{"rows", rows}, {"claim", {{"datasets", claim.datasets}, {"mean_gap", claim.mean_gap}}}};
}

}  // namespace

void setup_bench(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<What, GridOptions>>();
  auto groups = std::make_shared<std::vector<std::string>>();
  auto output = std::make_shared<std::string>();
  app.add_option("GROUP", *groups,
                 "cells to make, as photo,pubmed=all or cs=gcn,dgi; in place of --datasets and "
                 "--methods");
  app.add_option("-o,--output", *output,
                 "folder of the results: bench.md, bench.json and a file a cell; default "
                 "bench-results, with --quick bench-results-quick");
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      GridOptions options = state->get<GridOptions>();
      options.threads = state->common.threads;
      const std::vector<CellName> names =
          wanted(state->get<What>(), *groups, options, state->common);
      const std::filesystem::path folder = !output->empty() ? *output
                                           : options.quick  ? "bench-results-quick"
                                                            : "bench-results";
      check_results(folder, "bench", {".json", ".md"});
      const auto progress = begin(state->common);
      make_folder(folder);
      const std::vector<Cell> cells =
          run_grid(names, options, folder, stop_on_signals(), *progress,
                   [&](const std::vector<Cell>& so_far) {
                     write_file(folder / "bench.json", to_json(so_far).dump(2) + "\n");
                     write_file(folder / "bench.md", markdown(so_far));
                   });
      if (state->common.json) print_json(to_json(cells));
      else print(markdown(cells) + fmt::format("\nwrote {}\n", (folder / "bench.md").string()));
    };
  });
}

}  // namespace gs::cli
