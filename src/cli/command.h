// A subcommand is one file here: it declares its options on a CLI::App and returns what to run. The
// table of them is in main.cpp. Results go to standard output (one JSON object with --json),
// everything else to standard error.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "base/options.h"
#include "base/progress.h"

namespace gs::cli {

struct CommonOptions {
  bool json = false, quiet = false;
  int64_t threads = 0;

  void describe(OptionList& v);
};

// Binds every declared option to the command line: "--name VALUE", a flag for a bool, and for a
// bool that is on by default "--no-name" too. The list must outlive the parse.
void add_options(CLI::App& app, OptionList& list);
// "--no-name" for a bool that is on now, else "".
std::string off_flag(const Option& option);

// Every option list bound so far, with the command it belongs to ("data info"): for 'graphsurgeon
// options'.
struct BoundList {
  std::string command;
  const OptionList* list;
};
const std::vector<BoundList>& bound_lists();

// State of one subcommand that must outlive the parse: its options structs and their lists.
template <class... Structs>
struct Bound {
  CommonOptions common;
  std::tuple<Structs...> structs;
  std::vector<std::unique_ptr<OptionList>> lists;

  void bind(CLI::App& app) {
    std::apply([&](auto&... s) { (add(app, s), ...); }, structs);
    add(app, common);
  }
  template <class S>
  S& get() {
    return std::get<S>(structs);
  }

 private:
  template <class S>
  void add(CLI::App& app, S& options) {
    lists.push_back(std::make_unique<OptionList>(describe(options)));
    add_options(app, *lists.back());
  }
};

// Names of the options that the user set, the catalog's folder aside.
std::set<std::string> given_options(const std::vector<std::unique_ptr<OptionList>>& lists);

// From now on SIGINT and SIGTERM set the flag that is returned, once; a second one ends the program
// as usual.
const std::atomic<bool>* stop_on_signals();

// Applies --threads and makes the progress display that --quiet and the terminal ask for.
std::unique_ptr<Progress> begin(const CommonOptions& common);

void print(const std::string& text);           // to standard output
void print_json(const nlohmann::json& value);  // one object, one line
void say(const CommonOptions& common,
         const std::string& text);  // to standard error, unless --quiet

// With those above it; data Error where that cannot be.
void make_folder(const std::filesystem::path& folder);

// Data Error when a file NAME + ending is in the folder already and not from an earlier run of the
// same command, which its NAME.json, with an array of "rows", tells.
void check_results(const std::filesystem::path& folder, std::string_view name,
                   std::initializer_list<std::string_view> endings);

using Run = std::function<void()>;
// Each declares its options and subcommands on `app` and stores what to run in the chosen one's
// callback.
void setup_ablate(CLI::App& app, Run& run);
void setup_bench(CLI::App& app, Run& run);
void setup_data(CLI::App& app, Run& run);
void setup_options(CLI::App& app, Run& run);
void setup_train(CLI::App& app, Run& run);
void setup_embed(CLI::App& app, Run& run);
void setup_eval(CLI::App& app, Run& run);
void setup_inspect(CLI::App& app, Run& run);

}  // namespace gs::cli
