#include "cli/command.h"

namespace gs::cli {

namespace {

// The list's table; a flag that is on by default is shown with the form that switches it off.
std::string with_off_flags(const OptionList& list) {
  std::string table = list.markdown();
  for (const Option& option : list.options()) {
    const std::string off = off_flag(option), cell = fmt::format("| `{}` |", option.flag());
    if (const size_t at = table.find(cell); !off.empty() && at != std::string::npos)
      table.replace(at, cell.size(), fmt::format("| `{}`, `{}` |", option.flag(), off));
  }
  return table;
}

}  // namespace

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
        page += with_off_flags(*bound.list);
      }
      print(page);
    };
  });
}

}  // namespace gs::cli
