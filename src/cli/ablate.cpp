#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/command.h"
#include "dataset/catalog.h"
#include "study/ablation_markdown.h"
#include "study/ablations.h"
#include "study/grid.h"
#include "study/tables.h"

namespace gs::cli {

namespace {

std::vector<const Ablation*> chosen(const std::string& name) {
  std::vector<const Ablation*> out;
  std::vector<std::string> known{"all"};
  for (const Ablation& ablation : ablations()) {
    known.emplace_back(ablation.name);
    if (name == "all" || ablation.name == name) out.push_back(&ablation);
  }
  if (out.empty()) fail_unknown("ablation", name, known, "ablate");
  return out;
}

std::vector<std::string> datasets_here(const AblationOptions& options,
                                       const CommonOptions& common) {
  const auto root = data_root(options.data_root);
  std::vector<std::string> out;
  if (options.datasets != "all") {
    for (const std::string& name : parse_datasets(options.datasets))
      if (locate(*find_catalog(name), root)) out.push_back(name);
      else say(common, fmt::format("not here, and left out: {}\n", name));
  } else {
    for (const CatalogEntry& entry : catalog()) {
      const std::string name(entry.name);
      if (!entry.in_paper || is_large(name) || !locate(entry, root)) continue;
      if (!options.quick || name == "photo" || name == "pubmed") out.push_back(name);
    }
  }
  if (out.empty())
    fail_data(root.string(), "has none of the datasets",
              "fetch one with 'graphsurgeon data fetch NAME', or name the folder with --data-root");
  return out;
}

nlohmann::json to_json(const AblationResult& r) {
  return {{"name", r.name},
          {"holds", r.verdict.holds ? nlohmann::json(*r.verdict.holds) : nlohmann::json()},
          {"text", r.verdict.text},
          {"rows", r.rows}};
}

}  // namespace

void setup_ablate(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<AblationOptions>>();
  auto name = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  std::string about = "all, or one of";
  for (const Ablation& ablation : ablations())
    about += fmt::format("\n{} ({})", ablation.name, ablation.summary);
  app.add_option("NAME", *name, about)->required();
  app.add_option("-o,--output", *output,
                 "folder of the results: of each a JSON file, tables (.md) and a figure (.svg); "
                 "default ablations, with --quick ablations-quick");
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      const AblationOptions& options = state->get<AblationOptions>();
      const auto which = chosen(*name);
      const auto datasets = datasets_here(options, state->common);
      const std::filesystem::path folder = !output->empty() ? *output
                                           : options.quick  ? "ablations-quick"
                                                            : "ablations";
      for (const Ablation* ablation : which)
        check_results(folder, ablation->name, {".json", ".md", ".svg"});
      const auto progress = begin(state->common);
      make_folder(folder);
      const Laboratory laboratory(folder, state->common.threads, options.data_root,
                                  stop_on_signals());
      nlohmann::json all = nlohmann::json::array();
      for (const Ablation* ablation : which) {
        const AblationResult result =
            run_ablation(*ablation, datasets, options, laboratory, *progress);
        write_file(folder / (result.name + ".json"), to_json(result).dump(2) + "\n");
        write_file(folder / (result.name + ".md"), markdown(result));
        write_file(folder / (result.name + ".svg"), result.verdict.figure);
        all.push_back(to_json(result));
        if (!state->common.json) print(fmt::format("{}: {}\n\n", result.name, result.verdict.text));
      }
      if (state->common.json) print_json({{"ablations", all}});
      else print(fmt::format("wrote {}\n", folder.string()));
    };
  });
}

}  // namespace gs::cli
