// The one training loop: epochs of Adam over the loss, metrics a line an epoch, checkpoints,
// selection, alarms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "config/calls.h"
#include "dataset/dataset.h"
#include "train/plan.h"

namespace gs {

struct EpochMetrics {
  int64_t epoch = 0;
  std::optional<int64_t> split;      // of a method that learns from labels
  std::optional<double> validation;  // percent, where the epoch was looked at
  double loss = 0, gradient_norm = 0, seconds = 0;
  std::optional<double> effective_rank;  // of the embeddings, where the epoch was looked at
  int64_t batches = 1;
  // Of a sampled epoch: CPU seconds of sampling and of gathering features, seconds spent waiting.
  double sample_seconds = 0, gather_seconds = 0, wait_seconds = 0;
  std::vector<std::pair<std::string, double>> terms;
};

struct TrainResult {
  int64_t epochs = 0, parameters = 0;
  double ms_per_epoch = 0;    // median, with the epochs before a stop
  double peak_mib = 0;        // largest resident size, likewise
  double effective_rank = 0;  // of the embeddings that were written; 0 where nothing was trained
  Plan plan;
  std::string note;  // the method's own, often empty
  EpochMetrics last;
};

// Trains and leaves a complete run folder. An existing run is refused without resume or overwrite.
// A collapsed or non-finite run ends with a data Error and keeps the last good checkpoint.
TrainResult train(const Dataset& data, const TrainCall& request,
                  Progress& progress = no_progress());

}  // namespace gs
