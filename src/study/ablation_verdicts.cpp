#include "study/ablation_verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "study/ablation_experiments.h"
#include "study/ablation_rows.h"
#include "study/figure.h"

namespace gs {

namespace {

using nlohmann::json;
using Share = AblationRows::Share;

// A claim that needs every one of `shares`; open where one of them could not be looked at.
std::optional<bool> judged(std::initializer_list<Share> shares) {
  bool holds = true;
  for (const Share& share : shares) {
    if (share.all == 0) return std::nullopt;
    holds = holds && share.most();
  }
  return holds;
}

std::string verdict(std::optional<bool> holds) {
  if (!holds) return "These trainings cannot tell.";
  return *holds ? "It holds." : "It does not hold.";
}

std::string on(const Share& share) { return fmt::format("on {} of {}", share.held, share.all); }

bool within_a_point(double x, double y) { return std::abs(x - y) <= 1; }

}  // namespace

Verdict judge_loss(const json& json_rows) {
  const AblationRows rows(json_rows);
  Verdict out;
  // The identity gives the original's value and gradient: it stands for it where N x N does not
  // fit.
  const Share same = rows.share("improved", "original", "mean", within_a_point);
  const auto dearer = [](double x, double y) { return x > 1.1 * y; };
  const Share memory = rows.share("naive", "improved", "peak_mib", dearer),
              time = rows.share("naive", "improved", "ms_per_epoch", dearer);
  out.holds = judged({same, memory, time});
  const std::string costs =
      memory.all == 0 || time.all == 0
          ? "what the N x N matrix costs was not seen"
          : fmt::format(
                "the original through the N x N matrix takes {:.1f} times the memory and {:.1f} "
                "times the time of an epoch",
                rows.ratio("naive", "improved", "peak_mib"),
                rows.ratio("naive", "improved", "ms_per_epoch"));
  out.text = fmt::format(
      "The paper says that the improved constraint reaches the accuracy of the original one with "
      "much less memory and time. Ours: {:+.2f} points on average, within a point {}; {}. {} But "
      "the original needs no N x N matrix: by the identity of the Gram matrices it costs {:.2f} "
      "times the improved one's time. The scaled form differs by {:+.2f} points from the improved "
      "one.",
      rows.difference("improved", "original"), on(same), costs, verdict(out.holds),
      rows.ratio("original", "improved", "ms_per_epoch"), rows.difference("scaled", "improved"));
  out.figure = figure({rows.bars("Accuracy", "percent", "mean"),
                       rows.bars("Peak memory of a fresh process", "MiB", "peak_mib"),
                       rows.bars("Time of an epoch (median)", "ms", "ms_per_epoch")});
  return out;
}

Verdict judge_batch(const json& json_rows) {
  const AblationRows rows(json_rows);
  Verdict out;
  const Share grows = rows.share("1024", "64", "mean", std::greater<>());
  const Share stays =
      rows.share("4096", "1024", "mean", [](double x, double y) { return std::abs(x - y) <= 0.5; });
  out.holds = judged({grows, stays});
  out.text = fmt::format(
      "The paper says that accuracy grows with the batch up to 1024 nodes and no further. Ours: "
      "batches of 1024 are {:+.2f} points against 64 on average, and better {} datasets; "
      "4096 are {:+.2f} against 1024, and within half a point {}; an epoch of 64 takes "
      "{:.1f} times as long as one of 1024. {}",
      rows.difference("1024", "64"), on(grows), rows.difference("4096", "1024"), on(stays),
      rows.ratio("64", "1024", "ms_per_epoch"), verdict(out.holds));
  Chart accuracy{"Accuracy by batch size", "nodes of a batch", "percent", {}, true};
  Chart time{"Time of an epoch by batch size", "nodes of a batch", "ms", {}, true};
  for (const std::string& dataset : rows.datasets()) {
    Series a{dataset, {}}, t{dataset, {}};
    for (const std::string& variant : rows.variants()) {
      a.points.emplace_back(std::stod(variant), rows.value(dataset, variant, "mean"));
      t.points.emplace_back(std::stod(variant), rows.value(dataset, variant, "ms_per_epoch"));
    }
    accuracy.series.push_back(a), time.series.push_back(t);
  }
  out.figure = figure({line_chart(accuracy), line_chart(time)});
  return out;
}

Verdict judge_width(const json& json_rows) {
  const AblationRows rows(json_rows);
  Verdict out;
  std::string text;
  bool as_said = true, all_known = true;
  for (const auto& [method, gains, ignored] : kWidthMethods) {
    const std::string wide = fmt::format("{}-{}", method, *std::rbegin(kWidths)),
                      narrow = fmt::format("{}-{}", method, *std::begin(kWidths));
    const Share share = rows.share(wide, narrow, "mean", [gains = gains](double x, double y) {
      return gains ? x > y : x - y < 0.5;
    });
    all_known = all_known && share.all > 0;
    if (share.all == 0) continue;
    as_said = as_said && share.most();
    text += fmt::format("{}{} {:+.2f} (as said {})", text.empty() ? "" : ", ", method,
                        rows.difference(wide, narrow), on(share));
  }
  if (all_known) out.holds = as_said;
  out.text = fmt::format(
      "The paper says that GraphSurgeon, DGI and MVGRL gain from wider embeddings while GCA and "
      "BGRL stay or lose. Ours, points from width 256 to 1280 on average: {}. {}",
      text, verdict(out.holds));
  std::vector<std::string> charts;
  for (const std::string& dataset : rows.datasets()) {
    Chart chart{
        "Accuracy by embedding width, " + dataset, "columns of an embedding", "percent", {}};
    for (const WidthMethod& method : kWidthMethods) {
      Series series{std::string(method.name), {}};
      for (const int64_t width : kWidths) {
        const std::string variant = fmt::format("{}-{}", method.name, width);
        if (rows.find(dataset, variant))
          series.points.emplace_back(width, rows.value(dataset, variant, "mean"));
      }
      if (!series.points.empty()) chart.series.push_back(series);
    }
    charts.push_back(line_chart(chart));
  }
  out.figure = figure(charts);
  return out;
}

Verdict judge_mode(const json& json_rows) {
  const AblationRows rows(json_rows);
  Verdict out;
  const Share equal = rows.share("post-equal", "pre-equal", "mean", within_a_point),
              tuned = rows.share("post-tuned", "pre-tuned", "mean", within_a_point);
  // "About twice": more than half of the way there.
  const Share time = rows.share("pre-equal", "post-equal", "ms_per_epoch",
                                [](double x, double y) { return x >= 1.5 * y; }),
              memory = rows.share("pre-equal", "post-equal", "peak_mib", std::greater<>());
  out.holds = judged({tuned.all > 0 ? tuned : equal, time, memory});
  std::string each = "each mode's own tuned values are not known for these datasets";
  if (tuned.all > 0)
    each = fmt::format(
        "with each mode's own values post is {:+.2f} points against pre, within a point {}, and "
        "pre takes {:.2f} times the time",
        rows.difference("post-tuned", "pre-tuned"), on(tuned),
        rows.ratio("pre-tuned", "post-tuned", "ms_per_epoch"));
  out.text = fmt::format(
      "The paper says that both modes reach the same accuracy and that post is about twice as "
      "cheap. Ours: at equal D post is {:+.2f} points against pre, within a point {}, and pre "
      "takes {:.2f} times the time of an epoch, {:.2f} times the memory and {:.2f} times the "
      "parameters; {}. {}",
      rows.difference("post-equal", "pre-equal"), on(equal),
      rows.ratio("pre-equal", "post-equal", "ms_per_epoch"),
      rows.ratio("pre-equal", "post-equal", "peak_mib"),
      rows.ratio("pre-equal", "post-equal", "parameters"), each, verdict(out.holds));
  out.figure =
      figure({rows.bars("Accuracy", "percent", "mean"),
              rows.bars("Peak memory of a fresh process", "MiB", "peak_mib"),
              rows.bars("Time of an epoch (median)", "ms", "ms_per_epoch"),
              rows.bars("Parameters", "", "parameters"), rows.bars("Width D", "columns", "aug_dim"),
              rows.bars("Gamma, in units of the scaled constraint", "", "gamma_scaled"),
              rows.bars("Learning rate", "", "lr")});
  return out;
}

Verdict judge_symmetry(const json& json_rows) {
  const AblationRows rows(json_rows);
  Verdict out;
  const Share ahead = rows.share("symmetric", "asymmetric", "mean", std::greater<>());
  out.holds = judged({ahead});
  out.text = fmt::format(
      "The paper says that the asymmetric variant is slightly worse. Ours: the symmetric one is "
      "ahead {} datasets, and {:+.2f} points against it on average. {}",
      on(ahead), rows.difference("symmetric", "asymmetric"), verdict(out.holds));
  out.figure = figure({rows.bars("Accuracy", "percent", "mean")});
  return out;
}

Verdict judge_convergence(const json& rows) {
  Verdict out;
  Chart chart{"Probe accuracy on validation nodes by epoch", "epoch", "percent", {}};
  Share suffice;
  std::string text;
  for (const json& row : rows) {
    if (row.contains("problem") || !row.contains("curve")) continue;
    Series series{row["dataset"], {}};
    double best = 0, at_50 = 0, longest = 0;
    for (const json& point : row["curve"]) {
      const double epoch = point[0], score = point[1];
      series.points.emplace_back(epoch, score);
      best = std::max(best, score);
      longest = std::max(longest, epoch);
      if (epoch <= 50) at_50 = std::max(at_50, score);
    }
    if (longest > 50) suffice.held += within_a_point(best, at_50), ++suffice.all;
    text +=
        fmt::format("{}{} {:.2f} of {:.2f}", text.empty() ? "" : ", ", series.name, at_50, best);
    chart.series.push_back(series);
  }
  out.holds = judged({suffice});
  out.text = fmt::format(
      "The paper says that 50 epochs usually suffice. Ours, the best by epoch 50 and the best of "
      "all: {}. {}",
      text, verdict(out.holds));
  out.figure = figure({line_chart(chart)});
  return out;
}

}  // namespace gs
