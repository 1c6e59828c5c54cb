#include "eval/predictions.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/npy.h"
#include "eval/metrics.h"

namespace gs {

namespace {

// Scores and labels of some nodes.
struct Answers {
  at::Tensor scores;  // class-major
  Truth truth;

  Answers(const at::Tensor& all, const Labels& labels, const std::vector<int32_t>& nodes)
      : truth(labels, nodes) {
    GS_ASSERT(all.size(1) == labels.classes);
    if (nodes.empty())
      fail_data("splits", "a set of a split has no labeled node", "choose other --splits");
    const at::Tensor rows = at::tensor(at::ArrayRef<int32_t>(nodes), at::kInt).to(at::kLong);
    scores = all.index_select(0, rows).t().contiguous();
  }

  ScoreTable table() const {
    return {scores.const_data_ptr<float>(), scores.size(0), scores.size(1), scores.size(1)};
  }
  std::vector<int32_t> predicted() const {
    std::vector<int32_t> out(truth.single.size());
    predict(table(), out);
    return out;
  }
};

}  // namespace

double validation_score(const at::Tensor& scores, const Labels& labels, const Split& split,
                        Metric metric) {
  const Answers val(scores, labels, split.val);
  return 100 * metric_value(val.table(), val.truth, metric_of(labels, metric));
}

ProbeScore score_predictions(const at::Tensor& scores, const Labels& labels, const Split& split,
                             Metric metric, Predictions* predictions) {
  ProbeScore out;
  out.validation = validation_score(scores, labels, split, metric);
  const Answers test(scores, labels, split.test);
  if (predictions) predictions->nodes = split.test;
  if (metric_of(labels, metric) == Metric::roc_auc)
    score_test(test.table(), test.truth, out, predictions);
  else score_test(test.predicted(), test.truth, labels.classes, out, predictions);
  return out;
}

void save_predictions(const std::filesystem::path& path, const Predictions& predictions,
                      const Labels& labels, int64_t nodes) {
  const std::vector<int32_t>& known = predictions.nodes;
  if (labels.task != Task::multilabel) {
    std::vector<int32_t> all(static_cast<size_t>(nodes), -1);
    for (size_t i = 0; i < known.size(); ++i)
      all[static_cast<size_t>(known[i])] = predictions.single[i];
    return save_npy<int32_t>(path, all);
  }
  const int64_t classes = labels.classes;
  std::vector<uint8_t> all(static_cast<size_t>(nodes * classes), Labels::kUnknown);
  for (size_t i = 0; i < known.size(); ++i)
    std::copy_n(predictions.multi.begin() + static_cast<int64_t>(i) * classes, classes,
                all.begin() + known[i] * classes);
  save_npy<uint8_t>(path, all, std::array{nodes, classes});
}

}  // namespace gs
