// The command line: a table of subcommands, and the only place that catches errors and turns them
// into exit codes (0 done, 2 wrong usage, 3 bad data, 4 interrupted, 1 our bug).
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "cli/command.h"
#include "cli/external.h"
#include "version.h"

namespace gs::cli {

namespace {

struct Command {
  const char *name, *about;
  void (*setup)(CLI::App& app, Run& run);
};

constexpr Command kCommands[] = {
    {"train", "learn embeddings of a graph", setup_train},
    {"embed", "embed a graph with a trained model", setup_embed},
    {"eval", "score embeddings by the linear protocol", setup_eval},
    {"data", "describe, convert, generate and fetch datasets", setup_data},
    {"inspect", "show what the learned augmentations of a run do, or what a solved run is made of",
     setup_inspect},
    {"options", "print every option of every command as one page", setup_options},
};

// Programs of the Python package, found beside this one or on PATH; listed here so that help and
// suggestions include them.
constexpr ExternalCommand kExternals[] = {
    {"tune", "search for good options of training"},
    {"report", "draw runs, ablations and searches as one page"},
    {"bench", "the paper's tables: methods on datasets, trained and scored"},
    {"ablate", "the paper's ablations, each claim checked"},
};

// The instruction set that libtorch and our kernels choose on this machine, by the same cpuid bits.
const char* cpu_path() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return "AVX-512";
  return avx2 ? "AVX2" : "baseline x86-64, neither AVX2 nor AVX-512";
#else
  return "the compiler's baseline";
#endif
}

// libtorch is not loaded for this: its version and BLAS are those of the build.
std::string version_text() {
  return fmt::format("graphsurgeon {}\nlibtorch {}, BLAS {}\nCPU path {}", GS_VERSION,
                     GS_TORCH_VERSION, GS_TORCH_BLAS, cpu_path());
}

int complain(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  if (!error.hint().empty()) std::fprintf(stderr, "hint: %s\n", error.hint().c_str());
  return error.exit_code();
}

// The innermost subcommand on the command line, for its options and help.
CLI::App* chosen(CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return app;
}

// "graphsurgeon data info".
std::string path_of(const CLI::App* app) {
  std::string path;
  for (const CLI::App* a = app; a; a = a->get_parent())
    path.insert(0, path.empty() ? a->get_name() : fmt::format("{} ", a->get_name()));
  return path;
}

// The flags of `app` that took over from this one: "--num-splits or --repeats", or nothing.
std::string renamed_to(const CLI::App* app, const std::string& flag) {
  std::string out;
  if (!flag.starts_with("--") || !app->get_parent()) return out;
  for (const BoundList& bound : bound_lists())
    if (path_of(app) == "graphsurgeon " + bound.command)
      if (const Option* option = bound.list->find_renamed(flag.substr(2)))
        out += (out.empty() ? "" : " or ") + option->flag();
  return out;
}

// The error for an unknown option or subcommand; names the nearest known one.
Error unknown_argument(CLI::App& root, const std::string& argument) {
  CLI::App* app = chosen(&root);
  const std::string flag = argument.substr(0, argument.find('='));
  if (const std::string now = renamed_to(app, flag); !now.empty())
    return Error(ErrorKind::usage, fmt::format("{} is now {}", flag, now), "",
                 fmt::format("'{} --help' lists the options", path_of(app)));
  std::vector<std::string> known;
  const bool option = argument.starts_with("-");
  if (option) {
    for (const auto* o : app->get_options()) known.push_back(o->get_name());
  } else {
    for (const auto* sub : app->get_subcommands([](CLI::App*) { return true; }))
      known.push_back(sub->get_name());
  }
  const std::string near = nearest(flag, known);
  std::string message =
      fmt::format("unknown {} '{}'", option ? "option" : "argument", printable(argument));
  if (!near.empty()) message += fmt::format("; did you mean '{}'?", near);
  return Error(ErrorKind::usage, message, "",
               fmt::format("'{} --help' lists the options", path_of(app)));
}

// Threads that wait must not keep a core from another process: libgomp lets them spin for
// milliseconds by default, so that trainings side by side slow each other down. It reads this as it
// is loaded, before main, so the program starts itself once more. Brief spins stay, since most
// waits within an epoch are brief.
void spin_briefly(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY")) return;
  ::setenv("GOMP_SPINCOUNT", "2000", 1);
  ::execv("/proc/self/exe", argv);  // where that fails, they spin
}

bool is_command(const std::string& name) {
  return std::any_of(std::begin(kCommands), std::end(kCommands),
                     [&](const Command& command) { return name == command.name; });
}

int run_command_line(int argc, char** argv) {
  if (argc > 1 && !is_command(argv[1]))
    if (const auto program = find_external(argv[1])) run_external(*program, argv + 2);
  if (argc > 2 && argv[1] == std::string("data") && argv[2] == std::string(kDataImport.name))
    if (const auto program = find_external("data-import")) run_external(*program, argv + 3);
  CLI::App app("Node embeddings of an attributed graph, without labels.", "graphsurgeon");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer("Run 'graphsurgeon COMMAND --help' for the options of a command.");
  app.option_defaults()->always_capture_default(false);
  Run run;
  for (const Command& command : kCommands)
    command.setup(*app.add_subcommand(command.name, command.about), run);
  for (const ExternalCommand& command : kExternals) setup_external(app, command, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ExtrasError&) {
    const auto extras = app.remaining(true);
    return complain(unknown_argument(app, extras.empty() ? std::string() : extras.front()));
  } catch (const CLI::ParseError& e) {
    // An unknown word where a subcommand belongs is reported as such, not as "a subcommand is
    // required".
    if (const auto extras = app.remaining(true); !extras.empty())
      return complain(unknown_argument(app, extras.front()));
    return complain(Error(ErrorKind::usage, e.what(), "",
                          fmt::format("'{} --help' lists the options", chosen(&app)->get_name())));
  }
  run();
  return 0;
}

}  // namespace

}  // namespace gs::cli

int main(int argc, char** argv) {
  if (argc > 1) gs::cli::spin_briefly(argv);
  std::signal(SIGXFSZ, SIG_IGN);  // write() then fails, with an error that is reported
  try {
    return gs::cli::run_command_line(argc, argv);
  } catch (const gs::Error& error) {
    return gs::cli::complain(error);
  } catch (const std::bad_alloc&) {
    return gs::cli::complain(gs::Error(gs::ErrorKind::data, "out of memory", "",
                                       "close other programs, or use a smaller graph or batch"));
  } catch (const std::filesystem::filesystem_error& error) {
    return gs::cli::complain(gs::Error(gs::ErrorKind::data, error.code().message(),
                                       error.path1().string(), "check the path and the disk"));
  } catch (const std::exception& error) {
    return gs::cli::complain(gs::Error(
        gs::ErrorKind::internal, error.what(), "",
        "this is a bug in graphsurgeon; please report it with the command that led here"));
  }
}
