// Selection by validation nodes: scores the embeddings from time to time and keeps the best weights
// for each split.
#pragma once

#include <optional>
#include <vector>

#include "dataset/dataset.h"
#include "options/run.h"
#include "run/checkpoint.h"
#include "train/trainer.h"

namespace gs {

// Whether labels decide which weights are kept.
bool selects(const RunOptions& options);

// The splits whose labels a training reads, if any.
std::vector<Split> needed_splits(const Dataset& data, const RunOptions& options,
                                 const TrainRequest& request);

class Selection {
 public:
  // Selects on each of `splits`; empty selects nothing. `data` and `splits` must outlive it.
  Selection(const Dataset& data, const RunOptions& options, const std::vector<Split>& splits);

  bool active() const { return !kept_.scores.empty(); }
  bool due(int64_t epoch, bool last) const;
  // The validation score in percent: of a probe on every split, or of the predictions of the model
  // that is trained on `split`. Keeps the weights if they are the best so far.
  double score(const at::Tensor& output, std::optional<int64_t> split,
               const Parameters& parameters);

  const Kept& kept() const { return kept_; }
  void restore(Kept kept) { kept_ = std::move(kept); }
  // The weights to use: `last` if no epoch was scored. Fills in the splits that have none.
  TensorMap best(const TensorMap& last);

 private:
  void keep_if_better(size_t split, double score, const Parameters& parameters);

  const Dataset& data_;
  const RunOptions& options_;
  const std::vector<Split>& splits_;
  Kept kept_;
};

}  // namespace gs
