#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/core.h"

namespace gs::cli {

namespace {

struct Sources {
  std::string preset, config;
  std::string init;
  bool resume = false, overwrite = false;

  void describe(OptionList& v) {
    v.group("Run");
    v("preset", preset,
      "named values to start from, as photo for the authors'; an unknown name lists them");
    v("config", config,
      "JSON file of options; the command line wins over it, and it over a preset");
    v("init", init, "start from the weights of this run");
    v("resume", resume, "go on with an interrupted run");
    v("overwrite", overwrite, "replace an existing run");
  }
};

std::string to_text(const nlohmann::json& r) {
  std::string terms;
  for (const auto& [name, value] : r["loss"].items())
    if (name != "total")
      terms += fmt::format("{} {} {:.6g}", terms.empty() ? " =" : " +", name, value.get<double>());
  return fmt::format(
      "trained {} epochs, {:.1f} ms each, {:.0f} MiB at most\n"
      "loss {:.6g}{}; effective rank {:.1f}\n"
      "wrote {}\n",
      r["epochs"].get<int64_t>(), r["ms_per_epoch"].get<double>(), r["peak_mib"].get<double>(),
      r["loss"]["total"].get<double>(), terms, r["effective_rank"].get<double>(),
      r["run"].get<std::string>());
}

}  // namespace

void setup_train(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<RunOptions, Sources>>();
  auto data = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  app.add_option("DATA", *data, "catalog name, file, folder or generator")->required();
  app.add_option("-o,--output", *output, "run folder to write")->required();
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      Sources& sources = state->get<Sources>();
      RunOptions& options = state->get<RunOptions>();
      options.resolve(*state->lists[0], sources.preset, sources.config);
      options.load.seed = options.train.seed;
      const auto progress = begin(state->common);
      const nlohmann::json result =
          core().train({*data, *output, sources.init, options, sources.resume, sources.overwrite,
                        stop_on_signals()},
                       *progress);
      if (state->common.json) print_json(result);
      else print(to_text(result));
    };
  });
}

}  // namespace gs::cli
