// Watches the effective rank of the embeddings and stops a training whose embeddings have
// collapsed to one direction.
#pragma once

#include <ATen/ATen.h>

#include <string>

#include "nn/batch.h"
#include "options/run.h"

namespace gs {

class CollapseMonitor {
 public:
  // `where`: the run, for the Error. A supervised method is only measured: the scores of a
  // classifier may well have a low rank.
  CollapseMonitor(const RunOptions& options, bool supervised, std::string where);

  // Whether it is time to measure, after `epochs_before` finished epochs.
  bool due(int64_t epochs_before) const;
  // Measures the rank in the epoch after `epochs_before`. Data Error if it was too low twice in a
  // row. Collective: on several ranks it is the rank of all of them, and all of them throw.
  void measure(const at::Tensor& embeddings, const Batch& batch, int64_t epochs_before);

  double rank() const { return rank_; }  // at the last measurement
  bool suspicious() const { return low_ > 0; }
  void restart(double rank = 0) { rank_ = rank, low_ = 0; }

 private:
  int64_t every_;
  bool may_stop_;
  std::string where_;
  double rank_ = 0;
  int low_ = 0;  // measurements in a row that found a collapse
};

}  // namespace gs
