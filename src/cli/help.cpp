#include "cli/help.h"

#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/text.h"

namespace gs::cli {

namespace {

constexpr size_t kIndent = 30, kNarrowest = 60, kWidest = 120, kUsual = 100;

std::map<const CLI::App*, std::set<std::string>>& shown_first() {
  static std::map<const CLI::App*, std::set<std::string>> names;
  return names;
}

size_t terminal_width() {
  size_t width = kUsual;
  winsize size{};
  const char* columns = std::getenv("COLUMNS");
  if (const auto value = parse_integer(columns ? columns : ""); value && *value > 0)
    width = static_cast<size_t>(*value);
  else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width = size.ws_col;
  return std::clamp(width, kNarrowest, kWidest);
}

// Words of `text` in lines of `width`, each after the first behind `indent` blanks.
std::string wrapped(const std::string& text, size_t width, size_t indent) {
  std::string out, line;
  const auto flush = [&] {
    out += (out.empty() ? "" : std::string(indent, ' ')) + line + "\n";
    line.clear();
  };
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) flush();
    line += (line.empty() ? "" : " ") + word;
    if (end < text.size() && text[end] == '\n') flush();
    begin = end + 1;
  }
  flush();
  return out;
}

// "  --name VALUE     what it does, wrapped".
std::string entry(const std::string& name, const std::string& text, size_t width) {
  std::string out = "  " + name;
  if (out.size() + 2 > kIndent) out += "\n" + std::string(kIndent, ' ');
  else out += std::string(kIndent - out.size(), ' ');
  return out + wrapped(text, width, kIndent);
}

std::vector<std::string> names_of(const std::vector<Choice>& choices) {
  std::vector<std::string> out;
  for (const Choice& choice : choices) out.push_back(choice.name);
  return out;
}

// Whether it is the "--no-name" of a switch.
bool turns_off(const CLI::Option& option) {
  const Option* declared = declaration_of(option);
  return declared && !option.get_lnames().empty() && option.get_lnames().front() != declared->name;
}

Flag flag_of(const CLI::Option& option) {
  Flag out;
  out.group = option.get_group();
  out.about = option.get_description();
  if (option.get_positional()) {
    out.names = {option.get_name(true)};
    out.argument = true;
    return out;
  }
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  if (option.get_type_size() != 0) out.value = option.get_type_name();
  out.fallback = option.get_default_str();
  if (const Option* declared = declaration_of(option)) {
    if (turns_off(option)) out.about = fmt::format("turn this off: {}", declared->help);
    if (out.value.empty()) return out;  // a switch
    out.about = declared->help;
    out.choices = declared->choices;
    if (!out.choices.empty()) out.value = "NAME";
  }
  return out;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(bool all) : all_(all) {}

  std::string make_option(const CLI::Option* option, bool /*positional*/) const override {
    const Flag flag = flag_of(*option);
    std::string text = flag.about;
    if (all_ && !flag.choices.empty())
      for (const Choice& choice : flag.choices)
        text += fmt::format("\n- {}: {}", choice.name, choice.about);
    else if (!flag.choices.empty())
      text += fmt::format(": {}", fmt::join(names_of(flag.choices), ", "));
    if (!flag.fallback.empty())
      text +=
          fmt::format("{}(default: {})", all_ && !flag.choices.empty() ? "\n" : " ", flag.fallback);
    std::string name = fmt::format("{}", fmt::join(flag.names, ", "));
    if (!flag.value.empty()) name += " " + flag.value;
    return entry(name, text, width());
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return entry(sub->get_name(), sub->get_description(), width());
  }
  // One blank line between groups.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
    return text;
  }
  std::string make_footer(const CLI::App* app) const override {
    const std::string text = app->get_footer();
    return text.empty() ? "" : "\n" + text + "\n";
  }

 private:
  // The help of all commands indents that of each.
  size_t width() const { return terminal_width() - (all_ ? 4 : 0); }

  bool all_;
};

std::vector<CLI::App*> commands_of(const CLI::App& app) {
  auto& writable = const_cast<CLI::App&>(app);  // the library has no other overload
  return writable.get_subcommands([](CLI::App*) { return true; });
}

void add_pages(const CLI::App& app, const std::string& command, std::vector<Page>& out) {
  Page page{command, app.get_description(), {}};
  for (const CLI::Option* option : app.get_options()) page.flags.push_back(flag_of(*option));
  const auto below = commands_of(app);
  if (below.empty() || command.empty()) out.push_back(page);
  for (const CLI::App* sub : below)
    add_pages(*sub, command.empty() ? sub->get_name() : command + " " + sub->get_name(), out);
}

void set_up(CLI::App& app, bool all, const std::shared_ptr<HelpFormatter>& formatter) {
  app.formatter(formatter);
  for (CLI::App* sub : commands_of(app)) set_up(*sub, all, formatter);
  const auto found = shown_first().find(&app);
  if (found == shown_first().end()) return;
  std::set<std::string> missing = found->second;
  size_t hidden = 0;
  for (CLI::Option* option : app.get_options()) {
    const Option* declared = declaration_of(*option);
    if (!declared) continue;
    missing.erase(declared->name);
    // Of what is on by default, the form that turns it off says more.
    const bool useless = !turns_off(*option) && !off_flag(*declared).empty();
    if (all || (found->second.contains(declared->name) && !useless)) continue;
    hidden += !useless && !turns_off(*option);
    option->group("");
  }
  GS_ASSERT(missing.empty());
  if (hidden > 0)
    app.footer(fmt::format("{} more options: graphsurgeon {} --help-all", hidden, app.get_name()));
}

}  // namespace

void show_first(CLI::App& app, std::initializer_list<const char*> names) {
  shown_first()[&app] = {names.begin(), names.end()};
}

void set_up_help(CLI::App& root, bool all) {
  set_up(root, all, std::make_shared<HelpFormatter>(all));
}

std::vector<Page> pages_of(const CLI::App& root) {
  std::vector<Page> out;
  add_pages(root, "", out);
  return out;
}

}  // namespace gs::cli
