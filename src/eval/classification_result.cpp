#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "eval/classification.h"
#include "eval/references.h"

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

const Score* find_score(const ProbeScores& scores, std::initializer_list<std::string_view> probes) {
  for (const auto& [probe, score] : scores)
    if (std::find(probes.begin(), probes.end(), probe) != probes.end()) return &score;
  return nullptr;
}

// Scores of splits, the mean over encoders; empty if there are none by such a probe.
std::vector<double> values_by_split(const std::vector<EncoderScore>& encoders) {
  std::vector<double> out;
  for (const EncoderScore& encoder : encoders) {
    const Score* score = find_score(encoder.scores, {"logistic", "predictions"});
    if (!score) return {};
    const std::vector<double> values = score->values();
    out.resize(values.size());
    for (size_t s = 0; s < values.size(); ++s)
      out[s] += values[s] / static_cast<double>(encoders.size());
  }
  return out;
}

const char* outcome_name(Verdict::Outcome outcome) {
  switch (outcome) {
    case Verdict::Outcome::better:
      return "better";
    case Verdict::Outcome::equal:
      return "equal";
    case Verdict::Outcome::worse:
      return "worse";
  }
  GS_ASSERT(!"outcome");
}

json verdict_json(const Verdict& verdict, const std::string& text) {
  return {{"against", verdict.against},
          {"difference", verdict.difference},
          {"standard_error", verdict.standard_error ? json(*verdict.standard_error) : json()},
          {"outcome", outcome_name(verdict.outcome())},
          {"text", text}};
}

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

Verdict::Outcome Verdict::outcome() const {
  if (std::abs(difference) <= standard_error.value_or(0)) return Outcome::equal;
  return difference > 0 ? Outcome::better : Outcome::worse;
}

std::optional<Verdict> ClassificationResult::verdict() const {
  const std::vector<double> own = values_by_split(encoders);
  const Score* best = nullptr;
  Verdict out;
  for (const auto& [key, scores] : reference)
    if (const Score* score = find_score(scores, {"logistic"}))
      if (!best || score->spread().mean > best->spread().mean) best = score, out.against = key;
  if (!judged || !best || own.empty() || best->splits.size() != own.size()) return {};
  std::vector<double> differences = best->values();
  for (size_t s = 0; s < own.size(); ++s) differences[s] = own[s] - differences[s];
  const Spread spread = spread_of(differences);
  out.difference = spread.mean;
  // The deviation is the population's, hence one less.
  if (own.size() > 1)
    out.standard_error = spread.deviation / std::sqrt(static_cast<double>(own.size() - 1));
  return out;
}

std::string ClassificationResult::verdict_text() const {
  const std::optional<Verdict> found = verdict();
  if (!found) return {};
  const bool encoder = found->against == "untrained";
  const std::string what = encoder ? "an untrained encoder" : found->against + " features";
  switch (found->outcome()) {
    case Verdict::Outcome::better:
      return fmt::format("Better than the best {} ({}) by {:.1f} points.",
                         own_title == "solved" ? "reference" : "embedding without training",
                         found->against, found->difference);
    case Verdict::Outcome::equal:
      return fmt::format("About as good as {} here ({:+.1f} points, standard error {:.1f}).", what,
                         found->difference, found->standard_error.value_or(0));
    case Verdict::Outcome::worse:
      return fmt::format("No better than {} here ({:+.1f} points); use {}.", what,
                         found->difference,
                         encoder ? std::string("--epochs 0") : "--method " + found->against);
  }
  GS_ASSERT(!"outcome");
}

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
  const std::optional<Verdict> found = verdict();
  out["verdict"] = found ? verdict_json(*found, verdict_text()) : json();
  return out;
}

std::string ClassificationResult::to_text() const {
  const ProbeScores& own = encoders.front().scores;
  const size_t count = own.front().score.splits.size();
  std::string text = fmt::format("{} over {} {} ({}; {} training labels per split)\n\n",
                                 metric_key(own.front().score.metric), count,
                                 count == 1 ? "split" : "splits", splits, train_labels);
  const std::string verdict = verdict_text(),
                    last_line = verdict.empty() ? "" : "\n" + verdict + "\n";
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
  for (const auto& [key, title] : kReferences)
    if (const auto found = reference.find(key); found != reference.end())
      score_row(title, found->second);
  if (encoders.size() == 1) {
    score_row(own_title, own);
    return text + last_line;
  }
  for (const EncoderScore& encoder : encoders)
    score_row(fmt::format("{}, seed {}", own_title, *encoder.seed), encoder.scores);
  row(fmt::format("{} encoders", encoders.size()),
      [&](size_t p) { return fmt::format("{:6.2f} +- {:.2f}", mean(p), deviation_within(p)); });
  row("  between encoders",
      [&](size_t p) { return fmt::format("       +- {:.2f}", deviation_between(p)); });
  return text + last_line;
}

}  // namespace gs
