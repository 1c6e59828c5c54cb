// How long a training will take, measured on this machine before it begins: a few steps of a method
// that trains, a few columns and one product of a method that is solved. Nothing is written.
#pragma once

#include "dataset/dataset.h"
#include "options/run.h"
#include "train/plan.h"

namespace gs {

struct Estimate {
  int64_t batches = 1;           // per epoch
  int64_t trainings = 1;         // one per split with a supervised method
  double seconds_per_epoch = 0;  // 0 without epochs
  double seconds = 0;            // of the whole training, without loading the data
};

// `options` have every value decided (run/auto_options.h).
Estimate estimate(const Dataset& data, const RunOptions& options, const Plan& plan);

}  // namespace gs
