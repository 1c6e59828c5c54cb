// Checks the installation by using it: loads libtorch, embeds a small graph, looks for the Python
// package and the datasets. Prints what a bug report needs.
#include <dlfcn.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "cli/core.h"
#include "cli/external.h"
#include "dataset/catalog.h"
#include "version.h"

namespace gs::cli {

namespace {

namespace stdfs = std::filesystem;

struct Check {
  std::string name, found;
  bool fine = true;
  std::string hint = {};
};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (stdfs::temp_directory_path() / "graphsurgeon-XXXXXX").string();
    if (!mkdtemp(name.data()))
      fail_data(name, "cannot be made", "set TMPDIR to a folder that can be written");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    stdfs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const stdfs::path& path() const { return path_; }

 private:
  stdfs::path path_;
};

// The file that holds the loaded function, of the library that it came from.
std::string library_of(const void* function) {
  Dl_info info{};
  return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}

Check check_training() {
  try {
    const CoreApi& api = core();
    const TemporaryFolder folder;
    TrainRequest request;
    request.data = "sbm:nodes=200,classes=2,features=8,seed=1";
    request.run = folder.path() / "run";
    OptionList list = describe(request.options);
    request.options.choose_method(list);
    request.options.resolve(list, "", "");
    const TrainResult result = api.train.run(request, no_progress());
    return {"embedding", fmt::format("works: {} x {} numbers of a generated graph in {:.2f} s",
                                     result.nodes, result.columns, result.seconds)};
  } catch (const Error& error) {
    return {"embedding", error.what(), false, error.hint()};
  }
}

Check check_package() {
  const auto program = find_external("report");
  if (program) return {"Python package", program->parent_path().string()};
  return {"Python package", "not found: tune, report, bench and ablate are not available", false,
          "install it with 'pip install .' from a checkout"};
}

Check check_data() {
  const stdfs::path root = DataRoot{}.folder();
  std::string names;
  size_t found = 0;
  for (const CatalogEntry& entry : catalog())
    if (locate(entry, root)) names += (found++ ? ", " : "") + std::string(entry.name);
  return {"datasets", fmt::format("{} of {} known by name below {}{}", found, catalog().size(),
                                  root.string(), found ? ": " + names : "")};
}

std::vector<Check> checks() {
  std::error_code error;
  std::vector<Check> out{
      {"graphsurgeon",
       fmt::format("{}, {}", GS_VERSION, stdfs::read_symlink("/proc/self/exe", error).string())},
      {"system", system_name()},
      {"processor",
       fmt::format("{}; {} threads; kernels: {}", cpu_name(), available_threads(), cpu_path())},
      {"memory", fmt::format("{} MiB free", available_memory() >> 20)},
      check_training()};
  const bool loaded = out.back().fine;
  out.insert(out.end() - 1,
             {"libtorch", fmt::format("built for {}, BLAS {}{}", GS_TORCH_VERSION, GS_TORCH_BLAS,
                                      loaded ? "; loaded by " + library_of(&core()) : "")});
  out.push_back(check_package());
  out.push_back(check_data());
  return out;
}

}  // namespace

void setup_doctor(CLI::App& app, Run& run) {
  auto state = std::make_shared<Bound<>>();
  state->bind(app);
  app.callback([=, &run] {
    run = [=] {
      const ThreadScope scope(state->common.thread_count());
      const std::vector<Check> found = checks();
      nlohmann::json json = nlohmann::json::object();
      std::string text;
      size_t problems = 0;
      for (const Check& check : found) {
        problems += !check.fine;
        json[check.name] = {{"found", check.found}, {"fine", check.fine}};
        text += fmt::format("{} {:<15} {}\n", check.fine ? " " : "!", check.name, check.found);
        if (!check.fine) text += fmt::format("  {:<15} hint: {}\n", "", check.hint);
      }
      text += problems == 0 ? "\nEverything is in order.\n"
                            : fmt::format("\n{} to look at, marked with '!'.\n", problems);
      if (state->common.json) print_json(json);
      else print(text);
      if (problems > 0)
        throw Error(ErrorKind::data, "the installation is not complete", "", "see above");
    };
  });
}

}  // namespace gs::cli
