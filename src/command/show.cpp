#include "command/show.h"

#include "base/error.h"
#include "options/methods.h"
#include "run/card.h"

namespace gs {

namespace {

std::string line(const char* key, const std::string& value) {
  return value.empty() ? std::string() : fmt::format("  {:<14}{}\n", key, printable(value, 400));
}

std::string scores_text(const ShowResult& result) {
  const ScoreRows scores = score_table(result.scores);
  if (scores.rows.empty()) return {};
  std::string out = fmt::format("\n{}, percent:\n  {:<20}", scores.title, "");
  for (const std::string& probe : scores.probes) out += fmt::format("{:>16}", probe);
  for (const auto& [title, cells] : scores.rows) {
    out += fmt::format("\n  {:<20}", title);
    for (const std::string& cell : cells) out += fmt::format("{:>16}", cell);
  }
  out += "\n";
  if (!scores.verdict.empty()) out += fmt::format("\n  {}\n", scores.verdict);
  return out;
}

}  // namespace

ShowResult show(const std::filesystem::path& run) {
  const RunFolder folder(run);
  ShowResult out{run.string(),      unfinished_text(folder), {},
                 load_info(folder), load_record(folder),     load_scores(folder)};
  out.command = command_of(out.info, folder);
  return out;
}

nlohmann::json to_json(const ShowResult& result) {
  nlohmann::json out = to_json(result.record);
  out["run"] = result.run;
  out["finished"] = result.unfinished.empty();
  out["command"] = result.command;
  out["description"] = nlohmann::json::parse(to_json_text(result.info));
  out["scores"] = result.scores;
  return out;
}

std::string to_text(const ShowResult& result) {
  const auto& [run, unfinished, command, info, record, scores] = result;
  const bool recorded = record.state != RunRecord::State::unknown;
  std::string out = fmt::format("{}: {}, {}\n", printable(run, 200), info.options.method.method,
                                unfinished.empty() ? made_text(info) : "not finished");
  if (!unfinished.empty()) {
    out += fmt::format("  {}\n", printable(unfinished, 400));
    if (!record.hint.empty()) out += fmt::format("  {}\n", printable(record.hint, 400));
  }
  if (record.rows > 0)
    out += line("embeddings", fmt::format("{} nodes x {} columns, effective rank {:.1f}",
                                          record.rows, record.columns, record.effective_rank));
  out +=
      "\ndata\n" + line("name", info.data) + line("path", record.path) +
      line("content", record.content) +
      line("size", fmt::format("{} nodes, {} stored edges{}, {} features{}", info.nodes, info.edges,
                               !recorded           ? ""
                               : record.undirected ? " (undirected)"
                                                   : " (directed)",
                               info.features,
                               info.classes > 0 ? fmt::format(", {} classes", info.classes)
                                                : std::string())) +
      line("preprocessing", record.treatment);
  if (recorded)
    out +=
        "\nmade\n" + line("date", record.date) +
        line("with", fmt::format("graphsurgeon {}, libtorch {}", record.version, record.libtorch)) +
        line("on", fmt::format("{}, {} threads", record.cpu, record.threads)) +
        line("took",
             fmt::format("{:.1f} s, peak memory {:.0f} MiB", record.seconds, record.peak_mib));
  out += scores_text(result);
  const char* next = unfinished.empty() ? "made again by" : "continued by";
  return out + fmt::format("\n{}\n  {}{}\n", next, command, unfinished.empty() ? "" : " --resume");
}

}  // namespace gs
