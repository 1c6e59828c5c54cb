// `eval`: the linear protocol on a run or on any .npy, and beside its score the same probe on what
// needs no training (raw features, two-hop smoothed ones, an untrained encoder of the same shape),
// so that one sees what training gave.
#pragma once

#include <map>
#include <string>

#include "base/progress.h"
#include "config/calls.h"
#include "eval/probe.h"

namespace gs {

struct Evaluation {
  Score score;
  std::map<std::string, Score> reference;  // "raw", "smoothed", "untrained"
  std::string splits;                      // which splits, in words
  int64_t train_labels = 0;                // labels that a run's probe was trained on
};

// A run of --select val has an encoder of its own for each split, and is scored on each with that
// one.
Evaluation evaluate(const EvalCall& call, Progress& progress);

}  // namespace gs
