// Cross-entropy of predictions with known labels, the mean over rows:
//   single label   -log softmax(logits_i)[c_i]
//   multi-label    mean over classes of -log sigmoid(+-logits_ic), + where i has the class
// Rows may have weights w_i, so that a sample represents the whole graph: the mean is then that of
// w_i times the above.
#pragma once

#include "dataset/dataset.h"
#include "objective/loss.h"

namespace gs {

// `logits`: [rows, classes]. `labels`: class ids [rows] in 64 bits, or for Task::multilabel zeros
// and ones [rows, classes] in the logits' type. `weights`: [rows], or undefined.
Loss cross_entropy(const at::Tensor& logits, const at::Tensor& labels, Task task,
                   const at::Tensor& weights = {});

// The training nodes of a split and their labels. Holds no other node's label.
class TrainingLabels {
 public:
  TrainingLabels() = default;
  // Data Error if the split has no training node.
  TrainingLabels(const Labels& labels, const Split& split, int64_t nodes,
                 at::TensorOptions options);

  const at::Tensor& nodes() const { return nodes_; }  // 64-bit ids, ascending
  // Labels of all those nodes, or of some by id, in the form that cross_entropy() takes.
  const at::Tensor& all() const { return labels_; }
  at::Tensor of(const at::Tensor& nodes) const;
  Task task() const { return task_; }

 private:
  Task task_ = Task::none;
  at::Tensor nodes_, labels_;
  at::Tensor position_;  // position of each node in nodes(), or -1
};

}  // namespace gs
