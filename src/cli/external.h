// Commands that are separate programs, found as git finds its own: `graphsurgeon NAME ...` runs
// `graphsurgeon-NAME ...` from the folder of this program, otherwise from PATH, if NAME is not a
// command of this program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/command.h"

namespace gs::cli {

// A command of the Python package, listed in help and suggestions. The program of "data import" is
// graphsurgeon-data-import.
struct ExternalCommand {
  const char *name, *about;
};
inline constexpr ExternalCommand kDataImport{"import",
                                             "make a dataset folder from tables: csv, "
                                             "Parquet, Arrow"};

// The executable file of `name`, if there is one. Never one for a name that contains a path.
std::optional<std::filesystem::path> find_external(const std::string& name);

// Replaces this process by that program, with the arguments after its name. Data Error if it cannot
// be run.
[[noreturn]] void run_external(const std::filesystem::path& program, char** arguments);

// Declares a command whose program was not found: to run it is a usage Error.
void setup_external(CLI::App& parent, const ExternalCommand& command, Run& run);

}  // namespace gs::cli
