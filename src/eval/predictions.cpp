#include "eval/predictions.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/npy.h"
#include "eval/metrics.h"
#include "nn/tensor.h"

namespace gs {

namespace {

struct Chosen {  // of some nodes: scores class-major, and the answers
  at::Tensor scores;
  std::vector<int32_t> single;
  std::vector<uint8_t> multi;  // class-major

  ScoreTable table() const {
    return {scores.const_data_ptr<float>(), scores.size(0), scores.size(1), scores.size(1)};
  }
};

Chosen choose(const at::Tensor& scores, const Labels& labels, const std::vector<int32_t>& nodes) {
  GS_ASSERT(scores.size(1) == labels.classes);
  if (nodes.empty())
    fail_data("splits", "a set of a split has no labelled node", "choose other --splits");
  Chosen out;
  const at::Tensor rows = at::tensor(at::ArrayRef<int32_t>(nodes), at::kInt).to(at::kLong);
  out.scores = scores.index_select(0, rows).t().contiguous();
  if (labels.task != Task::multilabel) {
    for (const int32_t v : nodes) out.single.push_back(labels.single[v]);
    return out;
  }
  for (int64_t c = 0; c < labels.classes; ++c)
    for (const int32_t v : nodes) out.multi.push_back(labels.multi[v * labels.classes + c]);
  return out;
}

}  // namespace

double validation_score(const at::Tensor& scores, const Labels& labels, const Split& split) {
  const Chosen val = choose(scores, labels, split.val);
  if (labels.task == Task::multilabel) return 100 * macro_auc(val.table(), val.multi);
  std::vector<int32_t> predicted(val.single.size());
  predict(val.table(), predicted);
  return 100 * accuracy(predicted, val.single);
}

ProbeRun score_predictions(const at::Tensor& scores, const Labels& labels, const Split& split,
                           Predictions* told) {
  ProbeRun out;
  out.validation = validation_score(scores, labels, split);
  const Chosen test = choose(scores, labels, split.test);
  if (told) told->nodes = split.test;
  if (labels.task == Task::multilabel) {
    out.test = 100 * macro_auc(test.table(), test.multi);
    out.micro_auc = 100 * micro_auc(test.table(), test.multi);
    if (told) told->multi = positive(test.table());
    return out;
  }
  std::vector<int32_t> predicted(test.single.size());
  predict(test.table(), predicted);
  const F1 both = f1(predicted, test.single, labels.classes);
  out.test = 100 * accuracy(predicted, test.single);
  out.macro_f1 = 100 * both.macro, out.micro_f1 = 100 * both.micro;
  if (told) told->single = std::move(predicted);
  return out;
}

void save_predictions(const std::filesystem::path& path, const Predictions& told,
                      const Labels& labels, int64_t nodes) {
  if (labels.task != Task::multilabel) {
    std::vector<int32_t> all(static_cast<size_t>(nodes), -1);
    for (size_t i = 0; i < told.nodes.size(); ++i)
      all[static_cast<size_t>(told.nodes[i])] = told.single[i];
    return save_npy<int32_t>(path, all);
  }
  const int64_t classes = labels.classes;
  std::vector<uint8_t> all(static_cast<size_t>(nodes * classes), Labels::kUnknown);
  for (size_t i = 0; i < told.nodes.size(); ++i)
    std::copy_n(told.multi.begin() + static_cast<int64_t>(i) * classes, classes,
                all.begin() + told.nodes[i] * classes);
  save_npy<uint8_t>(path, all, std::array{nodes, classes});
}

}  // namespace gs
