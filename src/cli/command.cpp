#include "cli/command.h"

#include <csignal>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/parallel.h"

namespace gs::cli {

void CommonOptions::describe(OptionList& v) {
  v.group("Output");
  v("json", json, "print the result as one JSON object on standard output");
  v("quiet", quiet, "print no progress and no notes");
  v("threads", threads, "number of threads; 0 uses every core this process may run on")
      .at_least(0)
      .at_most(1024);
}

namespace {

std::vector<BoundList> g_bound;
std::map<const CLI::Option*, const Option*> g_declared;

// "data info", without the program's own name.
std::string path_of(const CLI::App* app) {
  std::string path;
  for (; app->get_parent(); app = app->get_parent()) {
    if (!path.empty()) path.insert(0, " ");
    path.insert(0, app->get_name());
  }
  return path;
}

}  // namespace

const Option* declaration_of(const CLI::Option& option) {
  const auto found = g_declared.find(&option);
  return found == g_declared.end() ? nullptr : found->second;
}

const std::vector<BoundList>& bound_lists() { return g_bound; }

std::string off_flag(const Option& option) {
  const auto* field = std::get_if<bool*>(&option.field);
  return field && **field ? "--no-" + option.name : std::string();
}

std::set<std::string> given_options(const std::vector<std::unique_ptr<OptionList>>& lists) {
  std::set<std::string> given;
  for (const auto& list : lists)
    for (const Option& option : list->options())
      if (option.given && option.name != "data-root") given.insert(option.name);
  return given;
}

namespace {

std::atomic<bool> g_stop = false;

void set_stop(int signal) {
  g_stop = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>* stop_on_signals() {
  std::signal(SIGINT, set_stop);
  std::signal(SIGTERM, set_stop);
  return &g_stop;
}

void add_options(CLI::App& app, OptionList& list) {
  g_bound.push_back({path_of(&app), &list});
  for (Option& option : list.options()) {
    const std::string flag = option.flag();
    CLI::Option* bound = nullptr;
    if (auto* field = std::get_if<bool*>(&option.field)) {
      bound = app.add_flag_function(
          flag,
          [&option, field](int64_t count) {
            **field = count > 0;
            option.given = true;
          },
          option.help);
      if (const std::string off = off_flag(option); !off.empty()) {
        CLI::Option* other = app.add_flag_function(
            off,
            [&option, field, bound, off](int64_t) {
              if (bound->count() > 0)
                fail_usage(off, fmt::format("contradicts {}", option.flag()),
                           "pass one of the two");
              **field = false;
              option.given = true;
            },
            fmt::format("turn off {}, which is on by default", flag));
        if (!option.group.empty()) other->group(option.group);
        g_declared[other] = &option;
      }
    } else {
      bound = app.add_option_function<std::string>(
          flag,
          [&option](const std::string& text) {
            option.set(text);
            option.given = true;
          },
          option.long_help());
      bound->type_name(option.type_name());
      const std::string value = option.text();
      if (!value.empty()) bound->default_str(value);
    }
    if (!option.group.empty()) bound->group(option.group);
    g_declared[bound] = &option;
  }
}

std::unique_ptr<Progress> begin(const CommonOptions& common) {
  return make_progress(detect_progress_style(common.quiet));
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0)
    fail_data("standard output", "cannot be written",
              "check that the disk is not full and that the reader is still running");
}

void print_json(const nlohmann::json& value) {
  print(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void say(const CommonOptions& common, const std::string& text) {
  if (!common.quiet) std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace gs::cli
