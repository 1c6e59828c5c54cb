#include "cli/external.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.h"

namespace gs::cli {

namespace {

namespace stdfs = std::filesystem;

std::vector<stdfs::path> places() {
  std::vector<stdfs::path> out;
  std::error_code error;
  if (const auto self = stdfs::read_symlink("/proc/self/exe", error); !error)
    out.push_back(self.parent_path());
  const char* path = std::getenv("PATH");
  const std::string text = path ? path : "";
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) out.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

bool is_word(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos;
}

}  // namespace

std::optional<stdfs::path> find_external(const std::string& name) {
  if (!is_word(name) || name.front() == '-') return std::nullopt;
  for (const stdfs::path& folder : places()) {
    const stdfs::path program = folder / ("graphsurgeon-" + name);
    std::error_code error;
    if (stdfs::is_regular_file(program, error) && access(program.c_str(), X_OK) == 0)
      return program;
  }
  return std::nullopt;
}

void run_external(const stdfs::path& program, char** arguments) {
  std::string name = program.string();
  std::vector<char*> words{name.data()};
  for (char** word = arguments; *word; ++word) words.push_back(*word);
  words.push_back(nullptr);
  execv(name.c_str(), words.data());
  fail_data(name, fmt::format("cannot be run: {}", std::strerror(errno)),
            "check that it is an executable program");
}

void setup_external(CLI::App& parent, const ExternalCommand& command, Run& run) {
  CLI::App* app = parent.add_subcommand(command.name, command.about);
  app->allow_extras();
  app->set_help_flag();
  app->set_help_all_flag();
  app->callback([name = std::string(command.name), &run] {
    run = [=] {
      fail_usage(name, "is part of the Python package, which was not found",
                 "install it with 'pip install .' from a checkout");
    };
  });
}

}  // namespace gs::cli
