#include "objective/cross_entropy.h"

#include "base/error.h"

namespace gs {

Loss cross_entropy(const at::Tensor& logits, const at::Tensor& labels, Task task,
                   const at::Tensor& weights) {
  at::Tensor rows;
  if (task == Task::multilabel)
    rows =
        at::binary_cross_entropy_with_logits(logits, labels, {}, {}, at::Reduction::None).mean(1);
  else rows = at::cross_entropy_loss(logits, labels, {}, at::Reduction::None);
  const at::Tensor total = (weights.defined() ? rows * weights : rows).mean();
  return {total, {{"cross_entropy", total.item<double>()}}};
}

TrainingLabels::TrainingLabels(const Labels& labels, const Split& split, int64_t nodes,
                               at::TensorOptions options)
    : task_(labels.task) {
  if (split.train.empty())
    fail_data("splits", "a split has no labeled node to train on", "choose other --splits");
  const auto count = static_cast<int64_t>(split.train.size());
  nodes_ = at::tensor(at::ArrayRef<int32_t>(split.train), at::kInt).to(at::kLong);
  position_ = at::full({nodes}, -1, at::kLong);
  position_.index_put_({nodes_}, at::arange(count, at::kLong));
  if (task_ == Task::multilabel) {
    labels_ = at::empty({count, labels.classes}, at::kFloat);
    float* out = labels_.data_ptr<float>();
    for (const int32_t v : split.train)
      for (int64_t c = 0; c < labels.classes; ++c)
        *out++ = static_cast<float>(labels.multi[v * labels.classes + c]);
    labels_ = labels_.to(options);
  } else {
    labels_ = at::empty({count}, at::kLong);
    int64_t* out = labels_.data_ptr<int64_t>();
    for (const int32_t v : split.train) *out++ = labels.single[v];
    labels_ = labels_.to(options.device());
  }
  nodes_ = nodes_.to(options.device());
  position_ = position_.to(options.device());
}

at::Tensor TrainingLabels::of(const at::Tensor& nodes) const {
  return labels_.index_select(0, position_.index_select(0, nodes));
}

}  // namespace gs
