#include <cmath>
#include <nlohmann/json.hpp>

#include "eval/classification.h"

namespace gs {

Spread ClassificationResult::over_encoders(size_t p) const {
  std::vector<double> means;
  for (const EncoderScore& encoder : encoders)
    means.push_back(encoder.scores[p].score.spread().mean);
  return spread_of(means);
}

double ClassificationResult::deviation_within(size_t p) const {
  double squares = 0;
  if (encoders.size() == 1)
    return encoders.front().scores[p].score.spread().deviation;  // to the last bit
  for (const EncoderScore& encoder : encoders) {
    const double deviation = encoder.scores[p].score.spread().deviation;
    squares += deviation * deviation;
  }
  return std::sqrt(squares / static_cast<double>(encoders.size()));
}

namespace {

using nlohmann::json;

// {"mean", "std", "values"} of each probe by its name.
json probes_json(const ProbeScores& scores) {
  json out = json::object();
  for (const auto& [probe, score] : scores) {
    const Spread spread = score.spread();
    out[probe] = {{"mean", spread.mean}, {"std", spread.deviation}, {"values", score.values()}};
  }
  return out;
}

json encoder_json(const EncoderScore& encoder) {
  const Score& headline = encoder.scores.front().score;
  const Spread spread = headline.spread();
  return {{"seed", encoder.seed ? json(*encoder.seed) : json()},
          {"mean", spread.mean},
          {"std", spread.deviation},
          {"values", headline.values()},
          {"probes", probes_json(encoder.scores)}};
}

}  // namespace

json ClassificationResult::to_json() const {
  const ProbeScores& own = encoders.front().scores;
  Score all{own.front().score.metric, {}};
  json each = json::array(), means = json::object(), references = json::object();
  json probes = json::object();
  for (const EncoderScore& encoder : encoders) {
    each.push_back(encoder_json(encoder));
    const auto& splits_of = encoder.scores.front().score.splits;
    all.splits.insert(all.splits.end(), splits_of.begin(), splits_of.end());
  }
  for (size_t p = 0; p < own.size(); ++p)
    probes[own[p].probe] = {
        {"mean", mean(p)},
        {"std", deviation_within(p)},
        // One encoder says nothing about others.
        {"std_over_encoders", encoders.size() > 1 ? json(deviation_between(p)) : json()}};
  for (const auto& [name, scores] : reference) {
    means[name] = scores.front().score.spread().mean;
    references[name] = gs::to_json(scores.front().score);
    references[name]["probes"] = probes_json(scores);
  }
  json out = gs::to_json(all);  // the values and details of all encoders
  out.update({{"probe", own.front().probe},
              {"mean", mean()},
              {"std", deviation_within()},
              {"std_over_encoders", probes[own.front().probe]["std_over_encoders"]},
              {"probes", std::move(probes)},
              {"encoders", std::move(each)},
              {"splits", splits},
              {"train_labels", train_labels},
              {"split_seed", split_seed},
              {"protocol", name_of(names_of(Protocol{}), protocol)},
              {"probe_epochs", probe_epochs},
              {"reference", std::move(means)},
              {"reference_scores", std::move(references)}});
  return out;
}

std::string ClassificationResult::to_text() const {
  const ProbeScores& own = encoders.front().scores;
  const size_t count = own.front().score.splits.size();
  std::string text = fmt::format("{} over {} {} ({}; {} training labels per split)\n\n",
                                 metric_key(own.front().score.metric), count,
                                 count == 1 ? "split" : "splits", splits, train_labels);
  constexpr int kTitle = 24, kColumn = 18;
  const auto row = [&](const std::string& title, const auto& cell) {
    text += fmt::format("  {:<{}}", title, kTitle);
    for (size_t p = 0; p < own.size(); ++p) text += fmt::format("{:<{}}", cell(p), kColumn);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  };
  const auto score_row = [&](const std::string& title, const ProbeScores& scores) {
    row(title, [&](size_t p) {
      const Spread spread = scores[p].score.spread();
      return fmt::format("{:6.2f} +- {:.2f}", spread.mean, spread.deviation);
    });
  };
  row("", [&](size_t p) { return fmt::format("{:>6}", own[p].probe); });
  static constexpr std::pair<const char*, const char*> kRows[] = {
      {"raw", "raw features"},
      {"smoothed", "two-hop smoothed"},
      {"diffused", "diffused"},
      {"untrained", "untrained encoder"}};
  for (const auto& [key, title] : kRows)
    if (const auto found = reference.find(key); found != reference.end())
      score_row(title, found->second);
  if (encoders.size() == 1) {
    score_row(own_title, own);
    return text;
  }
  for (const EncoderScore& encoder : encoders)
    score_row(fmt::format("{}, seed {}", own_title, *encoder.seed), encoder.scores);
  row(fmt::format("{} encoders", encoders.size()),
      [&](size_t p) { return fmt::format("{:6.2f} +- {:.2f}", mean(p), deviation_within(p)); });
  row("  between encoders",
      [&](size_t p) { return fmt::format("       +- {:.2f}", deviation_between(p)); });
  return text;
}

}  // namespace gs
