// state.safetensors: the checkpoint from which --resume continues to the same bytes. It holds the
// weights, the optimizer, the kept models of --select val, the epoch, the options and the length of
// metrics.jsonl; later lines of that file are cut off.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "run/folder.h"
#include "run/model.h"

namespace gs {

// Sums over the batches of an epoch so far.
struct EpochSums {
  double loss = 0, gradient_norm = 0, seconds = 0, sample = 0, gather = 0, wait = 0;
  int64_t steps = 0;  // batches that had a node to learn from
  std::map<std::string, double> terms;
};

// The position of a training.
struct Position {
  int64_t split = 0;  // split that a supervised method is training on
  int64_t epoch = 0;  // finished epochs
  int64_t batch = 0;  // finished batches of the current epoch
  EpochSums sums;     // sums over those batches
};

// The best weights so far of each split that a training selects on.
struct Kept {
  std::vector<double> scores;
  std::vector<TensorMap> weights;  // empty maps before the first score
};

struct TrainState {
  Position position;
  std::string loader;  // what `--loader auto` chose
  double rank = 0;     // effective rank at the last measurement
  Kept kept;
  int64_t metrics_bytes = 0;
  std::string targets;  // fingerprint of the target nodes; empty: all nodes
  std::string data;     // fingerprint of the dataset
};

// An optimizer as named tensors, which share its storage, and the number of steps taken.
struct OptimizerState {
  std::vector<NamedTensor> tensors;
  int64_t steps = 0;
};

// The loader of the run's batches: the choice of `--loader auto` is kept.
std::string loader_of_checkpoint(const RunFolder& run);

void save_checkpoint(const RunFolder& run, const RunInfo& info, const Parameters& parameters,
                     const OptimizerState& optimizer, const TrainState& state);

// Fills the parameters and the optimizer. `splits`: number of splits that the training selects on
// now. Usage Error if an option that changes the result, other than epochs, differs from `now`, or
// if the run is past its epochs (a supervised method may not change those either); data Error if it
// was trained on other data or the file is damaged.
TrainState load_checkpoint(const RunFolder& run, const RunInfo& now, size_t splits,
                           Parameters& parameters, OptimizerState& optimizer);

}  // namespace gs
