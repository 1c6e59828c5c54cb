#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dataset/shards/shards.h"
#include "dataset/summary.h"

namespace gs {

namespace {

constexpr int kLabelWidth = 16, kNumberWidth = 13, kBarWidth = 40;
constexpr size_t kFewClasses = 20;

std::string grouped(int64_t value) {  // 1234567 as 1,234,567
  const std::string digits = std::to_string(value);
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string readable_bytes(int64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) value /= 1024, ++unit;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string line(std::string_view label, const std::string& value, const std::string& remark = {}) {
  std::string out = fmt::format("  {:<{}}{:>{}}", label, kLabelWidth, value, kNumberWidth);
  if (!remark.empty()) out += "  " + remark;
  return out + '\n';
}

std::string count_line(std::string_view label, int64_t value, const std::string& remark = {}) {
  return line(label, grouped(value), remark);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string degree_bars(const std::vector<int64_t>& histogram) {
  const int64_t most = std::max<int64_t>(1, std::ranges::max(histogram));
  std::string out = fmt::format("\n  {:<{}}{:>{}}\n", "degree", kLabelWidth, "nodes", kNumberWidth);
  const auto first =
      std::ranges::find_if(histogram, [](int64_t count) { return count > 0; }) - histogram.begin();
  for (size_t b = static_cast<size_t>(first); b < histogram.size(); ++b) {
    const int64_t low = b == 0 ? 0 : int64_t{1} << (b - 1),
                  high = b == 0 ? 0 : (int64_t{1} << b) - 1;
    const std::string range =
        low == high ? grouped(low) : fmt::format("{} to {}", grouped(low), grouped(high));
    const auto length = static_cast<size_t>(
        std::ceil(static_cast<double>(histogram[b]) * kBarWidth / static_cast<double>(most)));
    out += line(range, grouped(histogram[b]), std::string(length, '#'));
  }
  return out + '\n';
}

std::string feature_line(const Dataset& data, const Summary& summary) {
  if (data.features.width() == 0)
    return line("features", "none", "--make-features gives the nodes some");
  std::string remark =
      fmt::format("columns, {}, {} of the values are not 0",
                  data.features.sparse() ? "sparse" : "dense", percent(summary.feature_density));
  if (data.features.sparse() && data.features.sparse_matrix().values.empty())
    remark += ", all of those 1";
  return count_line("features", data.features.width(), remark);
}

std::string label_lines(const Dataset& data, const Summary& summary) {
  const Labels& labels = data.labels;
  if (labels.task == Task::none) return line("labels", "none");
  const auto known = static_cast<double>(summary.nodes - summary.unlabeled);
  const int64_t given =
      std::accumulate(summary.class_counts.begin(), summary.class_counts.end(), int64_t{0});
  std::string out = count_line("classes", labels.classes,
                               labels.task == Task::multilabel
                                   ? fmt::format("any number per node; {:.1f} on average",
                                                 known > 0 ? static_cast<double>(given) / known : 0)
                                   : "one per node");
  const auto& counts = summary.class_counts;
  if (!counts.empty() && counts.size() <= kFewClasses) {
    std::string sizes;
    for (size_t c = 0; c < counts.size(); ++c) sizes += (c == 0 ? "" : "  ") + grouped(counts[c]);
    out += fmt::format("  {:<{}}  {}\n", "class sizes", kLabelWidth + kNumberWidth, sizes);
  } else if (!counts.empty()) {
    const auto [least, most] = std::ranges::minmax(counts);
    out += fmt::format("  {:<{}}  {} to {}\n", "class sizes", kLabelWidth + kNumberWidth,
                       grouped(least), grouped(most));
  }
  out += count_line("unlabeled", summary.unlabeled,
                    summary.unlabeled ? "nodes; in no split and no score" : "");
  if (!std::isnan(summary.edge_homophily))
    out += line("homophily", fmt::format("{:.3f}", summary.edge_homophily),
                labels.task == Task::multilabel
                    ? "mean overlap of the label sets of an edge's two ends"
                    : "of the edges join nodes of one class");
  if (!std::isnan(summary.class_homophily))
    out += line("", fmt::format("{:.3f}", summary.class_homophily),
                "balanced by class; 0 is chance level");
  return out;
}

std::string split_line(const std::vector<Split>& splits) {
  if (splits.empty()) return line("splits", "none", "of its own; random ones are drawn by seed");
  const Split& first = splits.front();
  return count_line(
      "splits", std::ssize(splits),
      fmt::format("of its own; {}{} train, {} validation, {} test",
                  splits.size() > 1 ? "the first has " : "", grouped(std::ssize(first.train)),
                  grouped(std::ssize(first.val)), grouped(std::ssize(first.test))));
}

// One count of every shard.
struct Spread {
  int64_t least = 0, most = 0, total = 0;
  double mean = 0;

  Spread(const ShardIndex& index, int64_t ShardEntry::*count) : least(INT64_MAX) {
    for (const ShardEntry& entry : index.shards) {
      least = std::min(least, entry.*count), most = std::max(most, entry.*count);
      total += entry.*count;
    }
    mean = static_cast<double>(total) / static_cast<double>(index.size());
  }
  double balance() const { return mean > 0 ? static_cast<double>(most) / mean : 1; }
  nlohmann::json json() const {
    return {{"min", least}, {"mean", mean}, {"max", most}, {"balance", balance()}};
  }
  std::string text(std::string_view label, const std::string& remark) const {
    return count_line(
        label, static_cast<int64_t>(std::llround(mean)),
        fmt::format("on average, from {} to {}; {}", grouped(least), grouped(most), remark));
  }
};

double cut_share(const ShardIndex& index) {
  return index.edges == 0 ? 0
                          : static_cast<double>(index.cut_edges) / static_cast<double>(index.edges);
}

nlohmann::json or_null(double value) {
  return std::isnan(value) ? nlohmann::json() : nlohmann::json(value);
}

}  // namespace

nlohmann::json to_json(const Dataset& data, const Summary& summary) {
  const bool sparse = data.features.sparse();
  return {
      {"name", data.name},
      {"format", data.format},
      {"treatment", data.treatment},
      {"notes", data.notes},
      {"nodes", summary.nodes},
      {"edges", summary.edges},
      {"features", data.features.width()},
      {"classes", data.labels.classes},
      {"task", task_name(data.labels.task)},
      {"splits", data.splits.size()},
      {"raw_edges", summary.raw_edges},
      {"dropped",
       {{"self_loops", data.dropped.self_loops}, {"duplicates", data.dropped.duplicates}}},
      {"directed", summary.directed},
      {"weighted", summary.weighted},
      {"self_loops", summary.self_loops},
      {"isolated", summary.isolated},
      {"components", summary.components},
      {"largest_component", summary.largest_component},
      {"degree",
       {{"min", summary.min_degree},
        {"median", summary.median_degree},
        {"mean", summary.mean_degree},
        {"max", summary.max_degree},
        {"histogram", summary.degree_histogram}}},
      {"homophily",
       {{"edge", or_null(summary.edge_homophily)}, {"class", or_null(summary.class_homophily)}}},
      {"feature_kind", data.features.width() == 0 ? "none"
                       : sparse                   ? "sparse"
                                                  : "dense"},
      {"feature_density", summary.feature_density},
      {"class_counts", summary.class_counts},
      {"unlabeled", summary.unlabeled},
      {"memory", {{"graph", summary.graph_bytes}, {"features", summary.feature_bytes}}}};
}

std::string to_text(const Dataset& data, const Summary& summary) {
  std::string out = fmt::format("{} ({})\n", data.name, data.format);
  if (!data.treatment.empty()) out += fmt::format("  {}\n", data.treatment);
  out += '\n';
  out += count_line("nodes", summary.nodes);
  out += count_line("edges", summary.edges,
                    fmt::format("stored entries, {}{}",
                                summary.directed ? "directed" : "each edge in both directions",
                                summary.weighted ? ", weighted" : ""));
  if (summary.raw_edges != summary.edges) {
    std::string gone;
    if (data.dropped.duplicates || data.dropped.self_loops)
      gone = fmt::format("; {} duplicates and {} self-loops were removed",
                         grouped(data.dropped.duplicates), grouped(data.dropped.self_loops));
    out += count_line("raw rows", summary.raw_edges, "edges as the source lists them" + gone);
  }
  out += count_line("self-loops", summary.self_loops);
  out += count_line("isolated", summary.isolated,
                    summary.isolated ? "nodes without an edge to another node" : "");
  const double largest = summary.nodes ? static_cast<double>(summary.largest_component) /
                                             static_cast<double>(summary.nodes)
                                       : 0;
  out += count_line("components", summary.components,
                    fmt::format("the largest has {} nodes, {}", grouped(summary.largest_component),
                                percent(largest)));
  out += line("degree", fmt::format("{:.1f}", summary.mean_degree),
              fmt::format("on average; median {}, from {} to {}{}", grouped(summary.median_degree),
                          grouped(summary.min_degree), grouped(summary.max_degree),
                          summary.directed ? " (edges into a node)" : ""));
  if (!summary.degree_histogram.empty()) out += degree_bars(summary.degree_histogram);
  out += feature_line(data, summary);
  out += label_lines(data, summary);
  out += split_line(data.splits);
  out += fmt::format("  {:<{}}{:>{}}  graph {}, features {}\n", "memory", kLabelWidth,
                     readable_bytes(summary.graph_bytes + summary.feature_bytes), kNumberWidth,
                     readable_bytes(summary.graph_bytes), readable_bytes(summary.feature_bytes));
  return out;
}

nlohmann::json to_json(const ShardIndex& index) {
  return {{"name", index.name},
          {"format", "shards"},
          {"treatment", index.treatment},
          {"nodes", index.nodes},
          {"edges", index.edges},
          {"features", index.features},
          {"classes", index.classes},
          {"task", task_name(index.task)},
          {"splits", index.splits},
          {"directed", !index.symmetric},
          {"weighted", index.weighted},
          {"shards", index.size()},
          {"partitioner", index.partitioner},
          {"hash", index.hash},
          {"cut_edges", index.cut_edges},
          {"edge_cut", cut_share(index)},
          {"shard_nodes", Spread(index, &ShardEntry::nodes).json()},
          {"shard_edges", Spread(index, &ShardEntry::edges).json()},
          {"shard_halo", Spread(index, &ShardEntry::halo).json()}};
}

std::string to_text(const ShardIndex& index) {
  const Spread nodes(index, &ShardEntry::nodes), edges(index, &ShardEntry::edges),
      halo(index, &ShardEntry::halo);
  std::string out = fmt::format("{} ({} shards)\n", index.name, index.size());
  if (!index.treatment.empty()) out += fmt::format("  {}\n", index.treatment);
  out += '\n';
  out += count_line("nodes", index.nodes);
  out += count_line("edges", index.edges,
                    fmt::format("stored entries, {}{}",
                                index.symmetric ? "each edge in both directions" : "directed",
                                index.weighted ? ", weighted" : ""));
  out += index.features == 0
             ? line("features", "none")
             : count_line("features", index.features,
                          index.sparse_features ? "columns, sparse" : "columns, dense");
  out += index.task == Task::none ? line("labels", "none") : count_line("classes", index.classes);
  out += count_line("splits", index.splits);
  out += line("partitioner", index.partitioner);
  out += line("edge cut", percent(cut_share(index)),
              fmt::format("{} edges join two shards", grouped(index.cut_edges)));
  out +=
      nodes.text("shard nodes", fmt::format("the largest is {:.3f} of the mean", nodes.balance()));
  out +=
      edges.text("shard edges", fmt::format("the largest is {:.3f} of the mean", edges.balance()));
  out += halo.text("shard halo",
                   fmt::format("{:.2f} per own node",
                               static_cast<double>(halo.total) / static_cast<double>(nodes.total)));
  return out;
}

}  // namespace gs
