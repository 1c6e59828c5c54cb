#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/command.h"
#include "cli/core.h"

namespace gs::cli {

namespace {

struct EmbedFlags {
  std::string nearest, device = "cpu";
  int64_t k = 10, memory = 8192;
  bool overwrite = false;

  void describe(OptionList& v) {
    v.group("Embedding");
    v("nearest", nearest,
      "list the nodes nearest to this one (its original id, or its number as #57) by cosine "
      "instead of writing embeddings");
    v("k", k, "how many nearest nodes to list").at_least(1);
    v("memory", memory,
      "MiB that intermediate layers may take; beyond it they go to a scratch file")
        .at_least(1);
    v("device", device, "cpu, cuda or cuda:N");
    v("overwrite", overwrite, "replace an existing output");
  }
};

std::string neighbours_text(const nlohmann::json& result) {
  std::string text = fmt::format("nearest to {}:\n", result["nearest"].get<std::string>());
  for (const auto& row : result["neighbors"])
    text += fmt::format("  {:<20} cosine {:.4f}\n", printable(row["id"].get<std::string>()),
                        row["cosine"].get<double>());
  return text;
}

}  // namespace

void setup_embed(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<LoadOptions, EmbedFlags>>();
  auto source = std::make_shared<std::string>(), data = std::make_shared<std::string>(),
       output = std::make_shared<std::string>();
  app.add_option("RUN", *source,
                 "run folder of 'graphsurgeon train'; with --nearest also an .npy of embeddings")
      ->required();
  app.add_option("DATA", *data,
                 "graph to embed: the training one, or another with the same features")
      ->required();
  app.add_option(
      "-o,--output", *output,
      "file to write: .npy (ids of nodes that have them go to NAME.ids.txt), or .csv with the ids; "
      "with --nearest a .csv of the list");
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      const EmbedFlags& flags = state->get<EmbedFlags>();
      if (output->empty() && flags.nearest.empty())
        fail_usage("embed", "nothing to do: no output was named",
                   "pass -o Z.npy, or --nearest NODE");
      if (!output->empty() && !flags.nearest.empty() &&
          std::filesystem::path(*output).extension() != ".csv")
        fail_usage("--output", "a list of nearest nodes is written as .csv",
                   "name it NEAR.csv; embeddings are written without --nearest");
      if (!output->empty()) check_output(*output, flags.overwrite);
      const auto progress = begin(state->common);
      EmbedCall call{*source,         *output,
                     *data,           state->get<LoadOptions>(),
                     flags.overwrite, flags.memory,
                     flags.nearest,   flags.k,
                     flags.device,    given_options(state->lists)};
      const nlohmann::json result = core().embed(call, *progress);
      if (state->common.json) print_json(result);
      else if (!flags.nearest.empty()) print(neighbours_text(result));
      else
        print(fmt::format("wrote {}: {} nodes x {}{}\n", *output, result["nodes"].get<int64_t>(),
                          result["width"].get<int64_t>(),
                          result.contains("ids")
                              ? fmt::format("; node ids: {}", result["ids"].get<std::string>())
                              : ""));
    };
  });
}

}  // namespace gs::cli
