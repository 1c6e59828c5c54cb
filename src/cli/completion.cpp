// Prints a completion script for a shell, made from the same declarations as the command line.
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/help.h"
#include "dataset/catalog.h"
#include "options/preset.h"

namespace gs::cli {

namespace {

std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string escaped(const std::string& text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> datasets() {
  std::vector<std::string> out;
  for (const CatalogEntry& entry : catalog()) out.emplace_back(entry.name);
  return out;
}

bool takes_value(const Flag& flag) { return !flag.value.empty(); }

// The words that may follow a flag; empty: a file, or anything.
std::vector<std::string> values_of(const Flag& flag) {
  std::vector<std::string> out;
  for (const Choice& choice : flag.choices) out.push_back(choice.name);
  if (std::ranges::find(flag.names, "--preset") != flag.names.end())
    for (const Preset& preset : presets()) out.push_back(preset.name);
  return out;
}

bool takes_data(const Page& page) {
  return std::ranges::any_of(
      page.flags, [](const Flag& flag) { return flag.argument && flag.names.front() == "DATA"; });
}

std::vector<std::string> flags_of(const Page& page) {
  std::vector<std::string> out;
  for (const Flag& flag : page.flags)
    if (!flag.argument) out.insert(out.end(), flag.names.begin(), flag.names.end());
  return out;
}

// The commands whose names begin with `above` and have one word more, with what they do.
std::vector<std::pair<std::string, std::string>> commands_below(const CLI::App& root,
                                                                const std::string& above) {
  auto& app = const_cast<CLI::App&>(root);
  std::vector<std::pair<std::string, std::string>> out;
  CLI::App* parent = above.empty() ? &app : app.get_subcommand(above);
  for (const CLI::App* sub : parent->get_subcommands([](CLI::App*) { return true; }))
    out.emplace_back(sub->get_name(), sub->get_description());
  return out;
}

std::vector<std::string> first_words(
    const std::vector<std::pair<std::string, std::string>>& commands) {
  std::vector<std::string> out;
  for (const auto& [name, about] : commands) out.push_back(name);
  return out;
}

std::string bash(const CLI::App& root) {
  const std::vector<Page> pages = pages_of(root);
  std::string values, flags, data;
  for (const Page& page : pages) {
    flags += fmt::format("    {}) flags={} ;;\n", in_quotes(page.command),
                         in_quotes(fmt::format("{}", fmt::join(flags_of(page), " "))));
    if (takes_data(page))
      data += fmt::format("    {}) words=$datasets ;;\n", in_quotes(page.command));
    for (const Flag& flag : page.flags)
      for (const std::string& name : flag.names) {
        if (!takes_value(flag)) continue;
        const auto words = values_of(flag);
        values += fmt::format("    {}) ", in_quotes(page.command + " " + name));
        values += words.empty() ? "files=1 ;;\n"
                                : fmt::format("words={} ;;\n",
                                              in_quotes(fmt::format("{}", fmt::join(words, " "))));
      }
  }
  return fmt::format(
      R"(# Completion of graphsurgeon for bash: source <(graphsurgeon completion bash)
_graphsurgeon() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local command= words= flags= files= i
  local datasets={4}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${{COMP_WORDS[i]}} == -* ]] && continue
    if [[ -z $command ]]; then command=${{COMP_WORDS[i]}}
    elif [[ $command == data ]]; then command="data ${{COMP_WORDS[i]}}"; break
    else break; fi
  done
  if [[ -z $command && $word != -* ]]; then
    COMPREPLY=($(compgen -W {0} -- "$word")); return
  fi
  if [[ $command == data && $word != -* ]]; then
    COMPREPLY=($(compgen -W {1} -- "$word")); return
  fi
  case "$command $before" in
{2}  esac
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$word")); return; fi
  if [[ -n $files ]]; then COMPREPLY=($(compgen -f -- "$word")); return; fi
  if [[ $word == -* ]]; then
    case $command in
{3}    esac
    COMPREPLY=($(compgen -W "$flags" -- "$word")); return
  fi
  case $command in
{5}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _graphsurgeon graphsurgeon
)",
      in_quotes(fmt::format("{}", fmt::join(first_words(commands_below(root, "")), " "))),
      in_quotes(fmt::format("{}", fmt::join(first_words(commands_below(root, "data")), " "))),
      values, flags, in_quotes(fmt::format("{}", fmt::join(datasets(), " "))), data);
}

// One argument of _arguments.
std::string zsh_flag(const Flag& flag, const std::string& name) {
  std::string out = fmt::format("{}[{}]", name, escaped(flag.about, "[]:\\"));
  if (takes_value(flag)) {
    const auto words = values_of(flag);
    out += fmt::format(":{}:{}", flag.value,
                       words.empty() ? "_files" : fmt::format("({})", fmt::join(words, " ")));
  }
  return in_quotes(out);
}

std::string zsh_commands(const CLI::App& root, const std::string& above) {
  std::string out;
  for (const auto& [name, about] : commands_below(root, above))
    out += fmt::format(" {}", in_quotes(name + ":" + escaped(about, ":\\")));
  return out;
}

std::string zsh(const CLI::App& root) {
  std::string cases;
  for (const Page& page : pages_of(root)) {
    if (page.command.empty()) continue;
    cases += fmt::format("    {})\n      _arguments", in_quotes(page.command));
    for (const Flag& flag : page.flags)
      for (const std::string& name : flag.names)
        if (!flag.argument) cases += " \\\n        " + zsh_flag(flag, name);
    cases += fmt::format(" \\\n        '*:{}:{}' ;;\n", takes_data(page) ? "DATA" : "FILE",
                         takes_data(page) ? "_graphsurgeon_data" : "_files");
  }
  return fmt::format(R"(#compdef graphsurgeon
# Completion of graphsurgeon for zsh: source <(graphsurgeon completion zsh)
_graphsurgeon_data() {{
  compadd {0}
  _files
}}
_graphsurgeon() {{
  local -a commands
  local command=$words[2]
  if (( CURRENT == 2 )); then
    commands=({1})
    _describe command commands; return
  fi
  if [[ $command == data ]]; then
    if (( CURRENT == 3 )); then
      commands=({2})
      _describe command commands; return
    fi
    command="data $words[3]"
    words=("${{(@)words[2,-1]}}"); (( CURRENT-- ))
  fi
  words=("${{(@)words[2,-1]}}"); (( CURRENT-- ))
  case $command in
{3}    *) _files ;;
  esac
}}
compdef _graphsurgeon graphsurgeon
)",
                     fmt::join(datasets(), " "), zsh_commands(root, ""), zsh_commands(root, "data"),
                     cases);
}

std::string fish(const CLI::App& root) {
  std::string out =
      "# Completion of graphsurgeon for fish: graphsurgeon completion fish | source\n";
  const auto add = [&](const std::string& condition, const std::string& more) {
    out += fmt::format("complete -c graphsurgeon -n {} {}\n", in_quotes(condition), more);
  };
  for (const auto& [name, about] : commands_below(root, ""))
    add("__fish_use_subcommand", fmt::format("-f -a {} -d {}", name, in_quotes(about)));
  for (const auto& [name, about] : commands_below(root, "data"))
    add("__fish_seen_subcommand_from data", fmt::format("-f -a {} -d {}", name, in_quotes(about)));
  for (const Page& page : pages_of(root)) {
    if (page.command.empty()) continue;
    std::string condition;
    for (size_t at = 0; at < page.command.size();) {
      const size_t end = std::min(page.command.find(' ', at), page.command.size());
      condition += (condition.empty() ? "" : "; and ") +
                   fmt::format("__fish_seen_subcommand_from {}", page.command.substr(at, end - at));
      at = end + 1;
    }
    if (takes_data(page))
      add(condition,
          fmt::format("-a {}", in_quotes(fmt::format("{}", fmt::join(datasets(), " ")))));
    for (const Flag& flag : page.flags) {
      if (flag.argument) continue;
      std::string more;
      for (const std::string& name : flag.names)
        more += name.starts_with("--") ? fmt::format("-l {} ", name.substr(2))
                                       : fmt::format("-s {} ", name.substr(1));
      more += fmt::format("-d {}", in_quotes(flag.about));
      const auto words = values_of(flag);
      if (!words.empty())
        more += fmt::format(" -x -a {}", in_quotes(fmt::format("{}", fmt::join(words, " "))));
      else if (takes_value(flag)) more += " -r";
      add(condition, more);
    }
  }
  return out;
}

}  // namespace

void setup_completion(CLI::App& app, Run& run) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")->required();
  app.footer(
      "For bash, add this line to ~/.bashrc: source <(graphsurgeon completion bash)\n"
      "For zsh, to ~/.zshrc after compinit:  source <(graphsurgeon completion zsh)\n"
      "For fish, to config.fish:             graphsurgeon completion fish | source");
  const CLI::App* root = app.get_parent();
  app.callback([=, &run] {
    run = [=] {
      if (*shell == "bash") return print(bash(*root));
      if (*shell == "zsh") return print(zsh(*root));
      if (*shell == "fish") return print(fish(*root));
      const std::vector<std::string> shells{"bash", "zsh", "fish"};
      fail_unknown("shell", *shell, shells);
    };
  });
}

}  // namespace gs::cli
