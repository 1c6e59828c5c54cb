#include "eval/score.h"

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace gs {

std::vector<double> Score::values() const {
  std::vector<double> out;
  for (const ProbeScore& split : splits) out.push_back(split.test);
  return out;
}

Metric metric_of(const Labels& labels, Metric asked) {
  const bool multi = labels.task == Task::multilabel;
  if (asked == Metric::automatic) return multi ? Metric::roc_auc : Metric::accuracy;
  if (multi && asked == Metric::accuracy)
    fail_usage("--metric", "a node of multi-label data has several classes", "use roc-auc");
  if (!multi && asked == Metric::roc_auc && labels.classes != 2)
    fail_usage("--metric",
               fmt::format("roc-auc is for two classes or multi-label data, not for {} classes",
                           labels.classes),
               "use accuracy");
  return asked;
}

std::string metric_key(Metric metric) { return metric == Metric::roc_auc ? "roc_auc" : "accuracy"; }

nlohmann::json to_json(const Score& score) {
  auto details = nlohmann::json::array();
  for (const ProbeScore& split : score.splits) {
    nlohmann::json detail{{"validation", split.validation}, {"test", split.test}};
    if (score.metric == Metric::accuracy)
      detail.update({{"macro_f1", split.macro_f1}, {"micro_f1", split.micro_f1}});
    else detail.update({{"micro_auc", split.micro_auc}});
    details.push_back(std::move(detail));
  }
  const Spread spread = score.spread();
  return {{"metric", metric_key(score.metric)},
          {"mean", spread.mean},
          {"std", spread.deviation},
          {"values", score.values()},
          {"details", std::move(details)}};
}

Truth::Truth(const Labels& labels, std::span<const int32_t> nodes) {
  if (labels.task != Task::multilabel) {
    for (const int32_t node : nodes) single.push_back(labels.single[node]);
    return;
  }
  multi.reserve(nodes.size() * static_cast<size_t>(labels.classes));
  for (int64_t c = 0; c < labels.classes; ++c)
    for (const int32_t node : nodes) multi.push_back(labels.multi[node * labels.classes + c]);
}

namespace {

// How far the second of two classes is ahead of the first, and whether it is the node's.
double two_class_auc(const ScoreTable& scores, const Truth& truth) {
  const std::span<const float> first = scores.of(0), second = scores.of(1);
  std::vector<float> lead(first.size());
  std::vector<uint8_t> is_second(first.size());
  for (size_t i = 0; i < lead.size(); ++i)
    lead[i] = second[i] - first[i], is_second[i] = truth.single[i] == 1;
  return roc_auc(lead, is_second);
}

}  // namespace

double metric_value(const ScoreTable& scores, const Truth& truth, Metric metric) {
  if (metric == Metric::roc_auc)
    return truth.multi.empty() ? two_class_auc(scores, truth) : macro_auc(scores, truth.multi);
  std::vector<int32_t> predicted(static_cast<size_t>(scores.nodes));
  predict(scores, predicted);
  return accuracy(predicted, truth.single);
}

void score_test(std::vector<int32_t> predicted, const Truth& truth, int64_t classes,
                ProbeScore& out, Predictions* predictions) {
  const F1 both = f1(predicted, truth.single, classes);
  out.test = 100 * accuracy(predicted, truth.single);
  out.macro_f1 = 100 * both.macro, out.micro_f1 = 100 * both.micro;
  if (predictions) predictions->single = std::move(predicted);
}

void score_test(const ScoreTable& scores, const Truth& truth, ProbeScore& out,
                Predictions* predictions) {
  out.test = 100 * metric_value(scores, truth, Metric::roc_auc);
  out.micro_auc = out.test;
  if (truth.multi.empty()) {
    if (!predictions) return;
    predictions->single.resize(static_cast<size_t>(scores.nodes));
    predict(scores, predictions->single);
    return;
  }
  out.micro_auc = 100 * micro_auc(scores, truth.multi);
  if (predictions) predictions->multi = positive(scores);
}

}  // namespace gs
