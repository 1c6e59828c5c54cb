// What the program says about itself: --help in the width of the terminal, and the commands and
// options as plain structs, from which completion and the manual page are made.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/command.h"

namespace gs::cli {

// The options that --help shows of a command; --help-all shows all. Positional arguments, -o and
// the help flags are always shown. An unknown name is an internal Error.
void show_first(CLI::App& app, std::initializer_list<const char*> names);
// Sets how help is printed by `root` and its commands. `all`: --help-all was given. Call it last.
void set_up_help(CLI::App& root, bool all);

struct Flag {
  std::vector<std::string> names;    // "-o", "--output"; of an argument its name alone: "DATA"
  std::string value;                 // "INT"; empty for a switch and for an argument
  std::string about;                 // one sentence
  std::string fallback;              // its default as text, or empty
  std::string group;                 // heading
  std::vector<Choice> choices = {};  // the values that it takes; empty: any
  bool argument = false;
};
struct Page {
  std::string command;  // "data info"; empty for the program itself
  std::string about;
  std::vector<Flag> flags;
};
// Every command that does something, in the order of --help. Call it after the parse.
std::vector<Page> pages_of(const CLI::App& root);

}  // namespace gs::cli
