#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/core.h"
#include "cli/help.h"

namespace gs::cli {

namespace {

struct InspectFlags {
  int64_t top = 20, memory = 8192;
  std::string device = "cpu", agreement;
  bool overwrite = false;

  void describe(OptionList& v) {
    v.group("Inspection");
    v("top", top, "number of features and nodes to list").at_least(0);
    v("memory", memory, "MiB for intermediate layers; larger ones go to a scratch file")
        .at_least(0);
    v("device", device, "device to compute on: cpu, cuda or cuda:N");
    v("agreement", agreement, ".npy file to write: the cosine of each node's two views");
    v("overwrite", overwrite, "replace an existing --agreement or --output file");
  }
};

}  // namespace

void setup_inspect(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<InspectFlags, LoadOptions>>();
  auto folder = std::make_shared<std::string>(), data = std::make_shared<std::string>(),
       output = std::make_shared<std::string>();
  app.add_option("RUN", *folder, "run folder of the method graphsurgeon or spectral")->required();
  app.add_option("DATA", *data, "graph to inspect the run on")->required();
  app.add_option("-o,--output", *output, "JSON file to write with the whole result");
  state->bind(app);
  show_first(app, {"top", "agreement", "overwrite", "device", "json", "quiet", "threads"});
  app.callback([=, &run] {
    run = [=] {
      const InspectFlags& flags = state->get<InspectFlags>();
      const InspectRequest request{.run = *folder,
                                   .data = *data,
                                   .load = state->get<LoadOptions>(),
                                   .given = given_options(state->lists),
                                   .top = flags.top,
                                   .memory_mib = flags.memory,
                                   .device = flags.device,
                                   .agreement = flags.agreement,
                                   .output = *output,
                                   .overwrite = flags.overwrite,
                                   .threads = state->common.thread_count()};
      const auto progress = begin(state->common);
      print_result(state->common, core().inspect, core().inspect.run(request, *progress));
    };
  });
}

}  // namespace gs::cli
