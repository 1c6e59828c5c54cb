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
  return fmt::format(
      "trained {} epochs, {:.1f} ms each, {:.0f} MiB at most\n"
      "loss {:.6g} = similarity {:.6g} + constraint {:.6g}; effective rank {:.1f}\n"
      "wrote {}\n",
      r["epochs"].get<int64_t>(), r["ms_per_epoch"].get<double>(), r["peak_mib"].get<double>(),
      r["loss"]["total"].get<double>(), r["loss"].value("similarity", 0.0),
      r["loss"].value("constraint", 0.0), r["effective_rank"].get<double>(),
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
      OptionList& list = *state->lists[0];
      if (!sources.config.empty()) apply_config(list, sources.config);
      if (!sources.preset.empty()) apply_preset(list, sources.preset);
      options.apply_protocol(list);
      options.check();
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
