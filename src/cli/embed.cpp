#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/core.h"
#include "cli/help.h"

namespace gs::cli {

namespace {

struct EmbedFlags {
  std::string nodes, device = "cpu";
  int64_t memory = 8192;
  bool overwrite = false;

  void describe(OptionList& v) {
    v.group("Embedding");
    v("nodes", nodes,
      "embed only the nodes that this file lists, one id per line (or an .npy of numbers), in its "
      "order; reads only their neighborhoods");
    v("memory", memory, "MiB for intermediate layers; larger ones go to a scratch file")
        .at_least(1);
    v("device", device, "device to compute on: cpu, cuda or cuda:N");
    v("overwrite", overwrite, "replace an existing output");
  }
};

}  // namespace

void setup_embed(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<LoadOptions, EmbedFlags>>();
  auto source = std::make_shared<std::string>(), data = std::make_shared<std::string>(),
       output = std::make_shared<std::string>();
  app.add_option("RUN", *source, "run folder of 'graphsurgeon train'")->required();
  app.add_option("DATA", *data,
                 "graph to embed: the training graph, or another with the same features")
      ->required();
  app.add_option("-o,--output", *output,
                 "file to write: .npy (node ids, if any, go to NAME.ids.txt), .csv with a header "
                 "and the ids, or .txt in word2vec's format");
  app.add_option_function<std::string>("--nearest",
                                       [](const std::string&) {
                                         fail_usage("--nearest", "is now a command of its own",
                                                    "use 'graphsurgeon nearest RUN NODE'");
                                       })
      ->group("");
  // As in `train`.
  auto group = std::make_shared<std::string>();
  app.add_option("--process-group", *group)->group("");
  state->bind(app);
  show_first(app, {"nodes", "overwrite", "memory", "device", "format", "features-file",
                   "symmetrize", "data-root", "json", "quiet", "threads"});
  app.callback([=, &run] {
    run = [=] {
      const EmbedFlags& flags = state->get<EmbedFlags>();
      const EmbedRequest request{.run = *source,
                                 .output = *output,
                                 .data = *data,
                                 .load = state->get<LoadOptions>(),
                                 .given = given_options(state->lists),
                                 .overwrite = flags.overwrite,
                                 .memory_mib = flags.memory,
                                 .nodes = flags.nodes,
                                 .device = flags.device,
                                 .threads = state->common.thread_count(),
                                 .group = *group};
      const auto progress = begin(state->common);
      print_result(state->common, core().embed, core().embed.run(request, *progress));
    };
  });
}

}  // namespace gs::cli
