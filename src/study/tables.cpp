#include "study/tables.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "config/methods.h"

namespace gs {

namespace {

using nlohmann::json;

class Table {
 public:
  explicit Table(std::vector<const Cell*> cells) : cells_(std::move(cells)) {
    for (const Cell* cell : cells_) {
      add(datasets_, cell->name.dataset);
      add(methods_, cell->name.method);
    }
    const auto rank = [](const std::string& name) {
      size_t at = 0;
      for (const MethodInfo& info : methods()) {
        if (info.name == name) break;
        ++at;
      }
      return std::pair(column_group(name), at);
    };
    std::sort(methods_.begin(), methods_.end(),
              [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  }

  bool empty() const { return cells_.empty(); }
  const std::vector<std::string>& datasets() const { return datasets_; }
  const std::vector<std::string>& names() const { return methods_; }

  const Cell* find(const std::string& method, const std::string& dataset) const {
    for (const Cell* cell : cells_)
      if (cell->name.method == method && cell->name.dataset == dataset) return cell;
    return nullptr;
  }

  // Mean and deviation; in bold when no other of its group does better on the dataset.
  std::string score(const std::string& method, const std::string& dataset) const {
    const Cell* cell = find(method, dataset);
    if (!cell) return "";
    if (!cell->done()) return "failed";
    const double mean = cell->row["mean"];
    const std::string text = fmt::format("{:.2f} ±{:.2f}", mean, deviation(*cell));
    return is_best(method, dataset, mean) ? "**" + text + "**" : text;
  }

  // "(92.3)", or "(out of memory)"; empty where the paper has none.
  static std::string paper(const Cell* cell) {
    if (!cell || !cell->row.contains("paper") || cell->row["paper"].is_null()) return "";
    const json& paper = cell->row["paper"];
    return paper.is_string() ? " (OOM)" : fmt::format(" ({:.1f})", paper.get<double>());
  }

 private:
  static void add(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  // Supervised methods stand first, then those without labels with ours last, then references.
  static int column_group(const std::string& method) {
    switch (method_info(method).group) {
      case MethodGroup::supervised:
        return 0;
      case MethodGroup::self_supervised:
        return 1;
      case MethodGroup::ours:
        return 2;
      case MethodGroup::reference:
        return 3;
    }
    return 4;
  }

  // Over splits, and where several encoders were trained, over those too.
  static double deviation(const Cell& cell) {
    const double within = cell.row["std"];
    const json& over = cell.row["std_over_seeds"];
    const double between = over.is_number() ? over.get<double>() : 0;
    return std::sqrt(within * within + between * between);
  }

  bool is_best(const std::string& method, const std::string& dataset, double mean) const {
    const auto side = [](const std::string& name) {  // ours is among the self-supervised
      return std::min(column_group(name), 3) == 2 ? 1 : column_group(name);
    };
    if (side(method) == 3) return false;
    return std::none_of(cells_.begin(), cells_.end(), [&](const Cell* other) {
      return other->name.dataset == dataset && side(other->name.method) == side(method) &&
             other->done() && other->row["mean"].get<double>() > mean;
    });
  }

  std::vector<const Cell*> cells_;
  std::vector<std::string> datasets_, methods_;
};

std::string line(const std::vector<std::string>& columns) {
  return "| " + fmt::format("{}", fmt::join(columns, " | ")) + " |\n";
}

std::string rule(size_t columns) {
  std::string out = "|---|";
  for (size_t i = 1; i < columns; ++i) out += "--:|";
  return out + "\n";
}

std::string scores(const Table& table) {
  std::vector<std::string> head{"dataset"};
  for (const std::string& method : table.names()) head.push_back(method);
  std::string out = line(head) + rule(head.size());
  for (const std::string& dataset : table.datasets()) {
    std::vector<std::string> row{dataset};
    for (const std::string& method : table.names())
      row.push_back(table.score(method, dataset) + Table::paper(table.find(method, dataset)));
    out += line(row);
  }
  return out;
}

std::string costs(const Table& table) {
  std::vector<std::string> head{"dataset"};
  for (const std::string& method : table.names()) head.push_back(method);
  std::string out = line(head) + rule(head.size());
  for (const std::string& dataset : table.datasets()) {
    std::vector<std::string> row{dataset};
    for (const std::string& method : table.names()) {
      const Cell* cell = table.find(method, dataset);
      row.push_back(cell && cell->done()
                        ? fmt::format("{:.0f} s, {:.0f} MiB", cell->row["seconds"].get<double>(),
                                      cell->row["peak_mib"].get<double>())
                        : "");
    }
    out += line(row);
  }
  return out;
}

// Ours among the methods that learn without labels.
std::string ranks(const Table& table) {
  std::string out;
  for (const std::string& dataset : table.datasets()) {
    const Cell* ours = table.find("graphsurgeon", dataset);
    if (!ours || !ours->done()) continue;
    int64_t better = 0, all = 0;
    for (const std::string& method : table.names()) {
      const Cell* cell = table.find(method, dataset);
      const MethodGroup group = method_info(method).group;
      if (!cell || !cell->done() || group == MethodGroup::supervised ||
          group == MethodGroup::reference)
        continue;
      ++all;
      if (cell->row["mean"] > ours->row["mean"]) ++better;
    }
    out += fmt::format("{}{}: {} of {}", out.empty() ? "" : "; ", dataset, better + 1, all);
  }
  return out;
}

std::string claim_text(const std::vector<Cell>& cells) {
  const Claim claim = check_claim(cells);
  if (claim.datasets == 0) return "";
  return fmt::format(
      "The paper's claim, on average at most 2 points behind the best semi-supervised method: {} "
      "({:.2f} points on average over {} {}).\n",
      claim.mean_gap <= 2 ? "holds" : "does not hold", claim.mean_gap, claim.datasets,
      claim.datasets == 1 ? "dataset" : "datasets");
}

std::string section(const char* title, const std::vector<const Cell*>& cells) {
  const Table table(cells);
  if (table.empty()) return "";
  std::string out = fmt::format("## {}\n\n{}\n", title, scores(table));
  if (const std::string rank = ranks(table); !rank.empty())
    out += fmt::format("GraphSurgeon's rank among the methods that learn without labels: {}.\n\n",
                       rank);
  return out +
         fmt::format("Seconds to train and score a cell, and the most memory it took:\n\n{}\n",
                     costs(table));
}

}  // namespace

bool is_large(const std::string& dataset) { return dataset == "yelp" || dataset == "reddit"; }

Claim check_claim(const std::vector<Cell>& cells) {
  std::map<std::string, double> ours, best;
  for (const Cell& cell : cells) {
    if (!cell.done()) continue;
    const double mean = cell.row["mean"];
    const std::string& dataset = cell.name.dataset;
    if (cell.name.method == "graphsurgeon") ours[dataset] = mean;
    else if (method_info(cell.name.method).supervised())
      best[dataset] = std::max(best.contains(dataset) ? best[dataset] : 0.0, mean);
  }
  Claim claim;
  for (const auto& [dataset, mean] : ours)
    if (best.contains(dataset)) claim.mean_gap += best[dataset] - mean, ++claim.datasets;
  if (claim.datasets > 0) claim.mean_gap /= static_cast<double>(claim.datasets);
  return claim;
}

std::string markdown(const std::vector<Cell>& cells) {
  std::vector<const Cell*> small, large;
  for (const Cell& cell : cells) (is_large(cell.name.dataset) ? large : small).push_back(&cell);
  std::string out =
      "Percent of accuracy (Yelp: ROC-AUC), mean and deviation; the best of each group in bold; in "
      "parentheses the paper's figure.\n\n";
  out += section("Small and medium datasets (the paper's Table 2)", small);
  out += section("Large datasets (the paper's Table 3)", large);
  out += claim_text(cells);
  for (const Cell& cell : cells)
    if (!cell.done())
      out += fmt::format("\n- {} on {} failed: {}", cell.name.method, cell.name.dataset,
                         cell.row.value("problem", "for an unknown reason"));
  return out;
}

}  // namespace gs
