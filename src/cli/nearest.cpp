#include "command/nearest.h"

#include <nlohmann/json.hpp>

#include "base/parallel.h"
#include "cli/command.h"

namespace gs::cli {

namespace {

struct NearestFlags {
  int64_t k = 10;
  bool overwrite = false;

  void describe(OptionList& v) {
    v.group("Search");
    v("k", k, "number of nearest nodes to list").at_least(1);
    v("overwrite", overwrite, "replace an existing output");
  }
};

}  // namespace

void setup_nearest(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<NearestFlags>>();
  auto source = std::make_shared<std::string>(), node = std::make_shared<std::string>(),
       output = std::make_shared<std::string>();
  app.add_option("RUN", *source,
                 "run folder, or an .npy of embeddings that 'graphsurgeon embed' wrote")
      ->required();
  app.add_option("NODE", *node, "a node's id in the input files, or its number as '#57'")
      ->required();
  app.add_option("-o,--output", *output, ".csv file to write with the list");
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      const ThreadScope scope(state->common.thread_count());
      const auto& [k, overwrite] = state->get<NearestFlags>();
      const NearestResult result = gs::run(
          {.source = *source, .node = *node, .k = k, .output = *output, .overwrite = overwrite});
      if (state->common.json) print_json(to_json(result));
      else print(to_text(result));
    };
  });
}

}  // namespace gs::cli
