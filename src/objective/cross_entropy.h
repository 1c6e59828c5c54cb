// Cross-entropy of predictions with known answers, the mean over rows:
//   single label   -log softmax(logits_i)[c_i]
//   multi-label    mean over classes of -log sigmoid(+-logits_ic), + where i has the class
// Rows may have weights w_i, so that a sample stands for the whole: the mean is then that of w_i
// times the above.
#pragma once

#include "dataset/dataset.h"
#include "objective/loss.h"

namespace gs {

// `logits`: [rows, classes]. `answers`: class ids [rows] in 64 bits, or for Task::multilabel zeros
// and ones [rows, classes] in the logits' type. `weights`: [rows], or undefined.
Loss cross_entropy(const at::Tensor& logits, const at::Tensor& answers, Task task,
                   const at::Tensor& weights = {});

// The training nodes of a split and what they are. It keeps no other node's label.
class Answers {
 public:
  Answers() = default;
  // Data Error when the split has no training node.
  Answers(const Labels& labels, const Split& split, int64_t nodes, at::TensorOptions options);

  const at::Tensor& nodes() const { return nodes_; }  // 64-bit ids, ascending
  const at::Tensor& all() const { return answers_; }  // of those, as cross_entropy() takes them
  at::Tensor of(const at::Tensor& nodes) const;       // of some of them, by id
  Task task() const { return task_; }

 private:
  Task task_ = Task::none;
  at::Tensor nodes_, answers_;
  at::Tensor position_;  // of each node among nodes(); -1 where it is none of them
};

}  // namespace gs
