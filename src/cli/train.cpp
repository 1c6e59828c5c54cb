#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/core.h"
#include "cli/help.h"
#include "dataset/generate/generate.h"
#include "options/run.h"

namespace gs::cli {

namespace {

struct TrainFlags {
  std::string preset, config, init;
  bool plan = false, resume = false, overwrite = false;
  int64_t timeout = 600;

  void describe(OptionList& v) {
    v.group("Run");
    v("preset", preset,
      "named option values to start from, such as photo for the authors'; an unknown name lists "
      "them");
    v("config", config,
      "JSON file of options; the command line overrides it, and it overrides a preset");
    v("plan", plan, "print memory, time and batches, and train nothing");
    v("init", init, "start from the weights of this run");
    v("resume", resume, "continue an interrupted run");
    v("overwrite", overwrite, "replace an existing run");
    v("timeout", timeout,
      "seconds that a process of a training under torchrun waits for the others")
        .at_least(1)
        .at_most(1e6);
  }
};

// The name of a graph in a path: "photo", "sbm" of "sbm:nodes=50", "web" of "data/web/edges.csv".
std::string short_name(const std::string& data) {
  if (is_generator(data)) return data.substr(0, data.find(':'));
  std::filesystem::path path = std::filesystem::path(data).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const bool part = path.filename().string().starts_with("edges.") && path.has_parent_path();
  const std::string name = (part ? path.parent_path() : path).filename().string();
  return name.substr(0, name.find('.', 1));
}

// The first of runs/NAME-1, runs/NAME-2, ... that does not exist.
std::filesystem::path new_run(const std::string& data) {
  std::string name = short_name(data);
  if (name.empty()) name = "run";
  for (int64_t i = 1;; ++i) {
    const std::filesystem::path run = fmt::format("runs/{}-{}", name, i);
    if (!std::filesystem::exists(run)) return run;
  }
}

}  // namespace

void setup_train(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<RunOptions, TrainFlags>>();
  auto data = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  app.add_option("DATA", *data, "catalog name, file, folder or generator")->required();
  app.add_option("-o,--output", *output, "run folder to write (default: runs/NAME-1, -2, ...)");
  // From python/graphsurgeon/ranks.py: the process group that this process belongs to.
  auto group = std::make_shared<std::string>();
  app.add_option("--process-group", *group)->group("");
  state->bind(app);
  app.get_option("--method")->default_str("spectral");
  show_first(app,
             {"method",      "dim",       "layers",     "encoder",       "mode",   "epochs",
              "lr",          "seed",      "device",     "loader",        "memory", "features-file",
              "labels-file", "features",  "symmetrize", "make-features", "preset", "plan",
              "resume",      "overwrite", "json",       "quiet",         "threads"});
  app.callback([=, &run] {
    run = [=] {
      const TrainFlags& flags = state->get<TrainFlags>();
      RunOptions& options = state->get<RunOptions>();
      OptionList& list = state->list_of<RunOptions>();
      if (output->empty() && (flags.resume || flags.overwrite))
        fail_usage(flags.resume ? "--resume" : "--overwrite", "needs the name of a run",
                   "name its folder with -o");
      // Presets, configs and other runs are of methods that train.
      if (flags.preset.empty() && flags.config.empty() && flags.init.empty())
        options.choose_method(list);
      options.resolve(list, flags.preset, flags.config);
      options.load.seed = options.train.seed;
      const TrainRequest request{
          .data = *data,
          .run = output->empty() ? new_run(*data) : std::filesystem::path(*output),
          .init = flags.init,
          .options = options,
          .resume = flags.resume,
          .overwrite = flags.overwrite,
          .stop = stop_on_signals(),
          .threads = state->common.thread_count(),
          .group = *group};
      const auto progress = begin(state->common);
      if (flags.plan)
        return print_result(state->common, core().plan, core().plan.run(request, *progress));
      print_result(state->common, core().train, core().train.run(request, *progress));
    };
  });
}

}  // namespace gs::cli
