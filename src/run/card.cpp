#include "run/card.h"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "options/methods.h"

namespace gs {

namespace {

using nlohmann::json;

// The order of the references, as `eval` prints them.
constexpr std::pair<const char*, const char*> kTitles[] = {{"raw", "raw features"},
                                                           {"smoothed", "two-hop smoothed"},
                                                           {"diffused", "diffused"},
                                                           {"untrained", "untrained encoder"}};

std::string cell(const json& score) {
  return fmt::format("{:.2f} +- {:.2f}", score.at("mean").get<double>(),
                     score.at("std").get<double>());
}

ScoreRows::Row row(const std::string& title, const json& probes,
                   const std::vector<std::string>& names) {
  ScoreRows::Row out{title, {}};
  for (const std::string& name : names)
    out.cells.push_back(probes.contains(name) ? cell(probes[name]) : "");
  return out;
}

std::string table(const ScoreRows& scores) {
  std::string out = "| |";
  for (const std::string& probe : scores.probes) out += fmt::format(" {} |", probe);
  out += "\n|---|";
  for (size_t i = 0; i < scores.probes.size(); ++i) out += "--:|";
  for (const auto& [title, cells] : scores.rows)
    out += fmt::format("\n| {} | {} |", title, fmt::join(cells, " | "));
  return out + "\n";
}

// Text in a table of Markdown.
std::string in_table(const std::string& text) {
  std::string out;
  for (const char c : printable(text, 300))
    out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

}  // namespace

ScoreRows score_table(const json& scores) {
  ScoreRows out;
  if (!scores.is_object() || !scores.contains("probes")) return out;
  try {
    const json& own = scores.at("encoders").at(0).at("probes");
    out.title = fmt::format("{} over {} splits", scores.at("metric").get<std::string>(),
                            own.at(scores.at("probe").get<std::string>()).at("values").size());
    // The headline's probe first.
    out.probes.push_back(scores.at("probe"));
    for (const auto& [name, value] : own.items())
      if (name != out.probes.front()) out.probes.push_back(name);
    const json& references = scores.at("reference_scores");
    for (const auto& [key, title] : kTitles)
      if (references.contains(key))
        out.rows.push_back(row(title, references[key].at("probes"), out.probes));
    out.rows.push_back(row("this run", own, out.probes));
    if (const json& verdict = scores.at("verdict"); verdict.is_object())
      out.verdict = verdict.at("text");
  } catch (const json::exception&) {
    return {};  // scores of another version
  }
  return out;
}

std::string made_text(const RunInfo& info) {
  const MethodInfo& method = method_info(info.options.method.method);
  if (method.solved) return "solved";
  if (!method.trains() || info.options.train.epochs == 0) return "not trained";
  return fmt::format("trained for {} epochs", info.options.train.epochs);
}

std::string card_text(const RunFolder& folder, const RunInfo& info, const RunRecord& record,
                      const json& scores) {
  const MethodInfo& method = method_info(info.options.method.method);
  const bool supervised = method.supervised();
  const std::string name = info.data.empty() ? "a graph" : in_table(info.data);
  const std::string what = supervised ? "Predictions" : "Node embeddings";
  std::string out = fmt::format(
      "{}tags:\n- graph\n- node-embeddings\n---\n# {} of {}\n\n{}, {}{}: {}.\n", kCardHead, what,
      name, method.name, made_text(info), supervised ? "" : " without labels", method.about);
  if (record.rows > 0)
    out += fmt::format("`embeddings.npy` has one row of {} numbers per node, {} rows.\n",
                       record.columns, record.rows);
  out += fmt::format(
      "\n## Use\n\n```python\nimport numpy\nfrom graphsurgeon import GraphSurgeon\n\n"
      "z = numpy.load(\"embeddings.npy\")       # of the training graph\n");
  if (!supervised)
    out +=
        "model = GraphSurgeon.load(\".\")\nz = model.transform(graph)              # of another "
        "graph with the same features\n";
  out += "```\n";
  if (!supervised)
    out += "\n    graphsurgeon embed . GRAPH -o z.csv\n    graphsurgeon nearest . NODE\n";
  out += "\n## Scores\n\n";
  if (const ScoreRows found = score_table(scores); !found.rows.empty()) {
    out += fmt::format(
        "Test {} (mean and deviation, in percent), beside what needs no training:\n\n"
        "{}",
        found.title, table(found));
    if (!found.verdict.empty()) out += fmt::format("\n{}\n", found.verdict);
  } else {
    out += fmt::format("None yet. `graphsurgeon eval . {}` scores the run and writes them here.\n",
                       info.data.empty() ? "DATA" : name);
  }
  const auto line = [&](const char* key, const std::string& value) {
    if (!value.empty()) out += fmt::format("| {} | {} |\n", key, in_table(value));
  };
  out += "\n## Data\n\n| | |\n|---|---|\n";
  line("name", info.data);
  line("nodes", std::to_string(info.nodes));
  line("stored edges",
       record.date.empty()
           ? std::to_string(info.edges)
           : fmt::format("{}, {}", info.edges, record.undirected ? "undirected" : "directed"));
  line("features", std::to_string(info.features));
  if (info.classes > 0) line("classes", std::to_string(info.classes));
  line("preprocessing", record.treatment);
  line("content (XXH3-128)", record.content);
  out += fmt::format("\n## How it was made\n\n    {}\n",
                     command_of(info, RunFolder(folder.path().filename())));
  out += "\n| | |\n|---|---|\n";
  if (!record.version.empty()) {
    line("graphsurgeon", record.version);
    line("libtorch", record.libtorch);
    line("processor", fmt::format("{}, {} threads", record.cpu, record.threads));
    line("date", record.date);
    line("seconds", fmt::format("{:.1f}", record.seconds));
    line("peak memory", fmt::format("{:.0f} MiB", record.peak_mib));
  }
  if (record.effective_rank > 0)
    line("effective rank", fmt::format("{:.1f}", record.effective_rank));
  return out;
}

json load_scores(const RunFolder& folder) {
  if (!std::filesystem::exists(folder.scores())) return {};
  const MappedFile file(folder.scores());
  try {
    return parse_json(file.text());
  } catch (const json::exception& error) {
    fail_data(file.path(), fmt::format("is not JSON: {}", printable(error.what(), 120)),
              "delete the file and run 'graphsurgeon eval' again");
  }
}

void write_card(const RunFolder& folder) {
  if (!folder.owns_card()) return;
  write_file(folder.card(),
             card_text(folder, load_info(folder), load_record(folder), load_scores(folder)));
}

}  // namespace gs
