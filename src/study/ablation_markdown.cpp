#include "study/ablation_markdown.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace gs {

namespace {

using nlohmann::json;

// Cells by row and dataset, in the order in which they came.
class Table {
 public:
  Table(std::string title, std::string rows) : title_(std::move(title)), of_(std::move(rows)) {}

  void put(const std::string& row, const std::string& dataset, std::string cell) {
    note(rows_, row), note(datasets_, dataset);
    cells_[{row, dataset}] = std::move(cell);
  }

  std::string text() const {
    if (cells_.empty()) return "";
    std::string out =
        fmt::format("{}:\n\n| {} | {} |\n|---|", title_, of_, fmt::join(datasets_, " | "));
    for (size_t i = 0; i < datasets_.size(); ++i) out += "--:|";
    for (const std::string& row : rows_) {
      out += fmt::format("\n| {} |", row);
      for (const std::string& dataset : datasets_) {
        const auto found = cells_.find({row, dataset});
        out += fmt::format(" {} |", found == cells_.end() ? "" : found->second);
      }
    }
    return out + "\n\n";
  }

 private:
  static void note(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  std::string title_, of_;
  std::vector<std::string> rows_, datasets_;
  std::map<std::pair<std::string, std::string>, std::string> cells_;
};

}  // namespace

std::string markdown(const AblationResult& result) {
  Table scores("Test score, percent", "variant"),
      memory("Peak memory of a fresh process, MiB", "variant"),
      time("Time of an epoch (median), ms", "variant"),
      threads("Threads it was timed on", "variant"), parameters("Parameters", "variant"),
      width("D", "variant"), gamma("Gamma, and in units of the scaled constraint", "variant"),
      rate("Learning rate", "variant"), curve("Validation score by epoch, percent", "epoch");
  for (const json& row : result.rows) {
    const std::string dataset = row["dataset"], variant = row["variant"];
    if (row.contains("problem")) {
      scores.put(variant, dataset, "failed");
      continue;
    }
    const auto put = [&](Table& table, const char* key, const char* format) {
      if (row.contains(key))
        table.put(variant, dataset, fmt::format(fmt::runtime(format), row[key].get<double>()));
    };
    if (row.contains("mean"))
      scores.put(variant, dataset,
                 fmt::format("{:.2f} ±{:.2f}", row["mean"].get<double>(), row.value("std", 0.0)));
    if (row.contains("curve"))
      for (const json& point : row["curve"])
        curve.put(std::to_string(point[0].get<int64_t>()), dataset,
                  fmt::format("{:.2f}", point[1].get<double>()));
    if (result.figures == Figures::scores) continue;
    put(memory, "peak_mib", "{:.0f}"), put(time, "ms_per_epoch", "{:.1f}");
    put(threads, "threads", "{:.0f}");
    if (result.figures == Figures::costs) continue;
    put(parameters, "parameters", "{:.0f}"), put(width, "aug_dim", "{:.0f}");
    put(rate, "lr", "{:.3g}");
    if (row.contains("gamma_scaled"))
      gamma.put(variant, dataset,
                fmt::format("{:.3g} ({:.3g})", row["gamma"].get<double>(),
                            row["gamma_scaled"].get<double>()));
  }
  std::string out = fmt::format("# {}\n\n{}\n\n", result.name, result.verdict.text);
  for (const Table* table :
       {&scores, &memory, &time, &threads, &parameters, &width, &gamma, &rate, &curve})
    out += table->text();
  return out;
}

}  // namespace gs
