#include "eval/score.h"

#include <nlohmann/json.hpp>

namespace gs {

std::vector<double> Score::values() const {
  std::vector<double> out;
  for (const ProbeScore& split : splits) out.push_back(split.test);
  return out;
}

std::string metric_of(const Labels& labels) {
  return labels.task == Task::multilabel ? "roc_auc" : "accuracy";
}

nlohmann::json to_json(const Score& score) {
  auto details = nlohmann::json::array();
  for (const ProbeScore& split : score.splits) {
    nlohmann::json detail{{"validation", split.validation}, {"test", split.test}};
    if (score.metric == "accuracy")
      detail.update({{"macro_f1", split.macro_f1}, {"micro_f1", split.micro_f1}});
    else detail.update({{"micro_auc", split.micro_auc}});
    details.push_back(std::move(detail));
  }
  const Spread spread = score.spread();
  return {{"metric", score.metric},
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

void score_test(std::vector<int32_t> predicted, const Truth& truth, int64_t classes,
                ProbeScore& out, Predictions* predictions) {
  const F1 both = f1(predicted, truth.single, classes);
  out.test = 100 * accuracy(predicted, truth.single);
  out.macro_f1 = 100 * both.macro, out.micro_f1 = 100 * both.micro;
  if (predictions) predictions->single = std::move(predicted);
}

void score_test(const ScoreTable& scores, const Truth& truth, ProbeScore& out,
                Predictions* predictions) {
  out.test = 100 * macro_auc(scores, truth.multi);
  out.micro_auc = 100 * micro_auc(scores, truth.multi);
  if (predictions) predictions->multi = positive(scores);
}

}  // namespace gs
