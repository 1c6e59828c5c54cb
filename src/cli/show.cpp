#include "command/show.h"

#include "cli/command.h"

namespace gs::cli {

void setup_show(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<>>();
  auto folder = std::make_shared<std::string>();
  app.add_option("RUN", *folder, "run folder")->required();
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      const ShowResult result = show(*folder);
      if (state->common.json) print_json(to_json(result));
      else print(to_text(result));
    };
  });
}

}  // namespace gs::cli
