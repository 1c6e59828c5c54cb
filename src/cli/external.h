// Commands that are separate programs, found as git finds its own: `graphsurgeon NAME ...` runs
// `graphsurgeon-NAME ...` from the folder of this program, otherwise from PATH, if NAME is not a
// command of this program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gs::cli {

// The executable file of `name`, if there is one. Never one for a name that contains a path.
std::optional<std::filesystem::path> find_external(const std::string& name);

// Replaces this process by that program, with the arguments after its name. Data Error if it cannot
// be run.
[[noreturn]] void run_external(const std::filesystem::path& program, char** arguments);

}  // namespace gs::cli
