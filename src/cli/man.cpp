// Prints the manual page: graphsurgeon man > graphsurgeon.1. Made from the same declarations as the
// command line.
#include <fmt/ranges.h>

#include "cli/help.h"
#include "version.h"

namespace gs::cli {

namespace {

// Text of the manual page: backslashes and hyphens as they are, and no line that looks like a
// request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
    if (c == '\n') out += "\\&";
  }
  return (out.starts_with('.') || out.starts_with('\'') ? "\\&" : "") + out;
}

std::string entry(const Flag& flag) {
  std::string names;
  for (const std::string& name : flag.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  if (!flag.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(flag.value));
  std::string out = fmt::format(".TP\n{}\n{}", names, roff(flag.about));
  if (!flag.fallback.empty()) out += fmt::format(" (default: {})", roff(flag.fallback));
  out += "\n";
  if (flag.choices.empty()) return out;
  out += ".RS\n";
  for (const Choice& choice : flag.choices)
    out += fmt::format(".IP \\fB{}\\fR 14\n{}\n", roff(choice.name), roff(choice.about));
  return out + ".RE\n";
}

std::string manual(const CLI::App& root) {
  std::string out = fmt::format(
      ".TH GRAPHSURGEON 1 \"\" \"graphsurgeon {}\" \"User Commands\"\n.SH NAME\ngraphsurgeon \\- "
      "node embeddings of an attributed graph, without labels\n.SH SYNOPSIS\n.B graphsurgeon\n"
      "\\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n.SH DESCRIPTION\n{}\n",
      GS_VERSION, roff(root.get_description()));
  for (const Page& page : pages_of(root)) {
    if (page.command.empty()) continue;
    std::string arguments;
    for (const Flag& flag : page.flags)
      if (flag.argument) arguments += fmt::format(" \\fI{}\\fR", flag.names.front());
    out += fmt::format(".SH graphsurgeon {}\n.B graphsurgeon {}\n[\\fIOPTION\\fR]...{}\n.PP\n{}\n",
                       page.command, page.command, arguments, roff(page.about));
    std::string group = "Options";
    for (const Flag& flag : page.flags) {
      if (flag.group != group && !flag.group.empty() && !flag.argument) {
        group = flag.group;
        out += fmt::format(".SS {}\n", roff(group));
      }
      out += entry(flag);
    }
  }
  return out +
         ".SH EXIT STATUS\n0 done; 1 a bug; 2 wrong usage; 3 bad data; 4 interrupted.\n"
         ".SH ENVIRONMENT\n.TP\n\\fBGRAPHSURGEON_DATA\\fR\nfolder of the datasets that are known "
         "by name\n";
}

}  // namespace

void setup_man(CLI::App& app, Run& run) {
  app.footer("Read it with: graphsurgeon man | man -l -");
  const CLI::App* root = app.get_parent();
  app.callback([=, &run] { run = [=] { print(manual(*root)); }; });
}

}  // namespace gs::cli
