#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/core.h"
#include "options/run.h"

namespace gs::cli {

namespace {

struct TrainFlags {
  std::string preset, config, init;
  bool resume = false, overwrite = false;

  void describe(OptionList& v) {
    v.group("Run");
    v("preset", preset,
      "named option values to start from, such as photo for the authors'; an unknown name lists "
      "them");
    v("config", config,
      "JSON file of options; the command line overrides it, and it overrides a preset");
    v("init", init, "start from the weights of this run");
    v("resume", resume, "continue an interrupted run");
    v("overwrite", overwrite, "replace an existing run");
  }
};

}  // namespace

void setup_train(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<RunOptions, TrainFlags>>();
  auto data = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  app.add_option("DATA", *data, "catalog name, file, folder or generator")->required();
  app.add_option("-o,--output", *output, "run folder to write")->required();
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      const TrainFlags& flags = state->get<TrainFlags>();
      RunOptions& options = state->get<RunOptions>();
      OptionList& list = state->list_of<RunOptions>();
      // Presets, configs and other runs are of methods that train.
      if (flags.preset.empty() && flags.config.empty() && flags.init.empty())
        options.choose_method(list);
      options.resolve(list, flags.preset, flags.config);
      options.load.seed = options.train.seed;
      const TrainRequest request{.data = *data,
                                 .run = *output,
                                 .init = flags.init,
                                 .options = options,
                                 .resume = flags.resume,
                                 .overwrite = flags.overwrite,
                                 .stop = stop_on_signals(),
                                 .threads = state->common.thread_count()};
      const auto progress = begin(state->common);
      print_result(state->common, core().train, core().train.run(request, *progress));
    };
  });
}

}  // namespace gs::cli
