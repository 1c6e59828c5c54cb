// Commands in programs of their own, found as git finds its: `graphsurgeon NAME ...` runs
// `graphsurgeon-NAME ...` from beside this program, else from PATH, when NAME is no command of this
// one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gs::cli {

// The executable file of `name`, if there is one. A name that could leave its folder has none.
std::optional<std::filesystem::path> find_external(const std::string& name);

// Becomes that program, with the arguments behind its name. Returns only by an Error: data, when it
// cannot be run.
[[noreturn]] void run_external(const std::filesystem::path& program, char** arguments);

}  // namespace gs::cli
