// A subcommand is one file here: it declares its options on a CLI::App and returns what to run.
// main.cpp has the table of subcommands. Results go to standard output (one JSON object with
// --json), everything else to standard error.
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
  int thread_count() const { return static_cast<int>(threads); }
};

// Binds every declared option to the command line: "--name VALUE", a flag for a bool, and for a
// bool that is on by default "--no-name" too. The list must outlive the parse.
void add_options(CLI::App& app, OptionList& list);
// What add_options() bound to this option of the command line, or nullptr.
const Option* declaration_of(const CLI::Option& option);
// "--no-name" for a bool that is on now, else "".
std::string off_flag(const Option& option);

// Every option list bound so far, with the command it belongs to ("data info"); 'graphsurgeon
// options' prints them.
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
  // The declared options of that struct.
  template <class S>
  OptionList& list_of() {
    size_t position = 0;
    (void)((std::is_same_v<S, Structs> || (++position, false)) || ...);
    return *lists[position];
  }

 private:
  template <class S>
  void add(CLI::App& app, S& options) {
    lists.push_back(std::make_unique<OptionList>(describe(options)));
    add_options(app, *lists.back());
  }
};

// Names of the options that the user set, except the catalog's folder.
std::set<std::string> given_options(const std::vector<std::unique_ptr<OptionList>>& lists);

// From now on SIGINT and SIGTERM set the flag that is returned, once; a second one ends the program
// as usual.
const std::atomic<bool>* stop_on_signals();

// The progress display for --quiet, a terminal or a log.
std::unique_ptr<Progress> begin(const CommonOptions& common);

void print(const std::string& text);           // to standard output
void print_json(const nlohmann::json& value);  // one object, one line
// Prints to standard error, unless --quiet.
void say(const CommonOptions& common, const std::string& text);

// A command's result, as JSON or as text. `Api`: a CommandApi of command/api.h.
template <class Api, class Result>
void print_result(const CommonOptions& common, const Api& api, const Result& result) {
  if (common.json) print_json(api.to_json(result));
  else print(api.to_text(result));
}

using Run = std::function<void()>;
// Each declares its options and subcommands on `app` and stores what to run in the chosen one's
// callback.
void setup_data(CLI::App& app, Run& run);
void setup_verify(CLI::App& app, Run& run);
void setup_options(CLI::App& app, Run& run);
void setup_train(CLI::App& app, Run& run);
void setup_embed(CLI::App& app, Run& run);
void setup_eval(CLI::App& app, Run& run);
void setup_inspect(CLI::App& app, Run& run);
void setup_nearest(CLI::App& app, Run& run);
void setup_show(CLI::App& app, Run& run);
void setup_completion(CLI::App& app, Run& run);
void setup_man(CLI::App& app, Run& run);
void setup_doctor(CLI::App& app, Run& run);

}  // namespace gs::cli
