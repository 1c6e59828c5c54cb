#include "cli/command.h"

namespace gs::cli {

// Prints docs/options.md: the same declarations that the command line is made from.
void setup_options(CLI::App& app, Run& run) {
  app.callback([&run] {
    run = [] {
      std::string
          page = "# Options\n\nMade by `graphsurgeon options`; every command also has `--help`.\n",
          command;
      for (const BoundList& bound : bound_lists()) {
        if (bound.command != command) {
          command = bound.command;
          page += fmt::format("\n## graphsurgeon {}\n", command);
        }
        page += bound.list->markdown();
      }
      print(page);
    };
  });
}

}  // namespace gs::cli
