#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/core.h"
#include "cli/help.h"

namespace gs::cli {

namespace {

struct EvalFlags {
  Protocol protocol = Protocol::authors;
  int64_t memory = 8192;
  std::string device = "cpu", predictions;
  bool keep = true, overwrite = false;

  void describe(OptionList& v) {
    v.group("Encoders");
    v("protocol", protocol,
      "protocol that sets the probe, its steps and the splits; default: the run's own");
    v("memory", memory,
      "MiB for intermediate layers and smoothed features; larger ones go to a scratch file")
        .at_least(0);
    v("device", device, "device to compute on: cpu, cuda or cuda:N");
    v.group("Results");
    v("predictions", predictions,
      ".npy file to write: the predicted class of each test node of the first split, -1 for other "
      "nodes (multi-label data: a row of zeros and ones, or of 255 for other nodes)");
    v("overwrite", overwrite, "replace an existing --predictions file");
    v("keep", keep, "keep the scores in the run folder as scores.json");
  }
};

}  // namespace

void setup_eval(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<ProbeOptions, TaskOptions, EvalFlags, LoadOptions>>();
  auto input = std::make_shared<std::string>(), data = std::make_shared<std::string>();
  app.add_option("INPUT", *input, "run folder, or an .npy file of embeddings")->required();
  app.add_option("DATA", *data, "dataset with labels")->required();
  state->bind(app);
  show_first(app, {"task", "encoders", "probe", "metric", "splits", "num-splits", "split-seed",
                   "protocol", "reference", "repeats", "held-out", "predictions", "overwrite",
                   "keep", "labels-file", "splits-file", "json", "quiet", "threads"});
  app.callback([=, &run] {
    run = [=] {
      const EvalFlags& flags = state->get<EvalFlags>();
      const EvalRequest request{.input = *input,
                                .data = *data,
                                .load = state->get<LoadOptions>(),
                                .probe = state->get<ProbeOptions>(),
                                .task = state->get<TaskOptions>(),
                                .protocol = flags.protocol,
                                .given = given_options(state->lists),
                                .device = flags.device,
                                .memory_mib = flags.memory,
                                .predictions = flags.predictions,
                                .overwrite = flags.overwrite,
                                .keep = flags.keep,
                                .threads = state->common.thread_count(),
                                .stop = stop_on_signals};
      const auto progress = begin(state->common);
      const EvalResult result = core().eval.run(request, *progress);
      print_result(state->common, core().eval, result);
    };
  });
}

}  // namespace gs::cli
