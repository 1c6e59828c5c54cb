#include "cli/program.h"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include "base/machine.h"
#include "base/mapped_files.h"
#include "cli/command.h"
#include "cli/external.h"
#include "cli/help.h"
#include "version.h"

namespace gs::cli {

namespace {

struct Command {
  const char *name, *about, *group;
  void (*setup)(CLI::App& app, Run& run);
};

constexpr const char *kMake = "Make embeddings", *kLook = "Look at a run", *kData = "Data",
                     *kStudies = "Studies", *kProgram = "The program";

constexpr Command kCommands[] = {
    {"train", "learn embeddings of a graph", kMake, setup_train},
    {"eval", "score embeddings beside what needs no training", kMake, setup_eval},
    {"embed", "embed a graph, or some nodes, with a trained model", kMake, setup_embed},
    {"nearest", "list the nodes whose embeddings are nearest to a node's", kLook, setup_nearest},
    {"show", "print what a run is, what it was made from and how it scored", kLook, setup_show},
    {"inspect", "show what a run learned, or what a solved run is made of", kLook, setup_inspect},
    {"data", "describe, convert, generate and fetch datasets", kData, setup_data},
    {"verify", "check the files of a run or a dataset folder against their checksums", kData,
     setup_verify},
    {"doctor", "check the installation, and print what a bug report needs", kProgram, setup_doctor},
    {"completion", "print a completion script for bash, zsh or fish", kProgram, setup_completion},
    {"man", "print the manual page", kProgram, setup_man},
    {"options", "print every option of every command as one page", kProgram, setup_options},
};

// Programs of the Python package, found beside this one or on PATH; listed here so that help and
// suggestions include them.
struct GroupedCommand {
  ExternalCommand command;
  const char* group;
};
constexpr GroupedCommand kExternals[] = {
    {{"report", "draw runs, ablations and searches as one page"}, kLook},
    {{"tune", "search for good options of training"}, kStudies},
    {{"bench", "the paper's tables: methods on datasets, trained and scored"}, kStudies},
    {{"ablate", "the paper's ablations, each claim checked"}, kStudies},
};

// libtorch is not loaded for this: its version and BLAS are those of the build.
std::string version_text() {
  return fmt::format("graphsurgeon {}\nlibtorch {}, BLAS {}\nCPU path {}", GS_VERSION,
                     GS_TORCH_VERSION, GS_TORCH_BLAS, cpu_path());
}

// An error without a text is reported by another process.
int complain(const Error& error) {
  if (error.message().empty()) return error.exit_code();
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
  std::string message = fmt::format("unknown {} '{}'",
                                    option         ? "option"
                                    : app == &root ? "command"
                                                   : "argument",
                                    printable(argument));
  if (!near.empty()) message += fmt::format("; did you mean '{}'?", near);
  return Error(
      ErrorKind::usage, message, "",
      fmt::format("'{} --{}' lists the {}", path_of(app), app == &root ? "help" : "help-all",
                  app == &root ? "commands" : "options"));
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
  app.set_help_all_flag("--help-all", "print this help with every option and exit");
  app.footer(
      "Begin with a dataset, an edge list, a folder or a generator (sbm:nodes=5000):\n"
      "  graphsurgeon train photo\n"
      "  graphsurgeon eval runs/photo-1 photo\n\n"
      "'graphsurgeon COMMAND --help' shows the options of a command that people use,\n"
      "--help-all shows all of them.");
  app.option_defaults()->always_capture_default(false);
  Run run;
  for (const Command& command : kCommands)
    command.setup(*app.add_subcommand(command.name, command.about)->group(command.group), run);
  for (const auto& [command, group] : kExternals) {
    setup_external(app, command, run);
    app.get_subcommand(command.name)->group(group);
  }
  set_up_help(app, std::any_of(argv, argv + argc, [](const char* word) {
                return std::string_view(word) == "--help-all";
              }));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ExtrasError&) {
    const auto extras = app.remaining(true);
    throw unknown_argument(app, extras.empty() ? std::string() : extras.front());
  } catch (const CLI::ParseError& e) {
    // An unknown word where a subcommand belongs is reported as such, not as "a subcommand is
    // required".
    if (const auto extras = app.remaining(true); !extras.empty())
      throw unknown_argument(app, extras.front());
    throw Error(ErrorKind::usage, e.what(), "",
                fmt::format("'{} --help' lists the options", chosen(&app)->get_name()));
  }
  run();
  return 0;
}

int complain_of_memory() {
  return complain(Error(ErrorKind::data, "out of memory", "",
                        "close other programs, or use a smaller graph or batch"));
}

}  // namespace

int run_program(int argc, char** argv, bool reports_usage) {
  std::signal(SIGXFSZ, SIG_IGN);  // write() then fails, with an error that is reported
  report_faults_of_mapped_files();
  try {
    return run_command_line(argc, argv);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage && !reports_usage) return error.exit_code();
    return complain(error);
  } catch (const std::bad_alloc&) {
    return complain_of_memory();
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(Error(ErrorKind::data, error.code().message(), error.path1().string(),
                          "check the path and the disk"));
  } catch (const std::system_error& error) {  // a thread that could not be started
    return complain(Error(ErrorKind::data, error.code().message(), "",
                          "lower --threads, or raise the limits of the process"));
  } catch (const std::exception& error) {
    // libtorch adds where it was thrown, in more lines.
    const std::string text = error.what(), line = text.substr(0, text.find('\n'));
    if (line.find("can't allocate memory") != std::string::npos) return complain_of_memory();
    return complain(
        Error(ErrorKind::internal, line, "",
              "this is a bug in graphsurgeon; please report it with the command that led here"));
  }
}

}  // namespace gs::cli
