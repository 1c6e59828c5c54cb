// What a training leaves behind on its way, so that --resume goes on to the same bytes:
// state.safetensors (weights, optimiser, the kept models of --select val, the epoch, the options,
// how long metrics.jsonl was) and metrics.jsonl, a line an epoch. The state is written whole or not
// at all and suffices alone; lines that came after it are cut off.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "method/run_folder.h"
#include "train/adam.h"

namespace gs {

// What an epoch has added up over its batches so far.
struct EpochSums {
  double loss = 0, gradient_norm = 0, seconds = 0, sample = 0, gather = 0, wait = 0;
  int64_t steps = 0;  // batches that had a node to learn from
  std::map<std::string, double> terms;
};

struct TrainState {
  int64_t split = 0;  // that is trained on, by a method that learns from labels
  int64_t epoch = 0;  // whole ones
  int64_t batch = 0;  // whole ones of the epoch that is under way
  EpochSums sums;     // of those
  LoaderKind loader = LoaderKind::full;
  double rank = 0;              // effective rank at the last look
  std::vector<double> best;     // of each split, with --select val
  std::vector<TensorMap> kept;  // the same; empty maps before the first look
  int64_t metrics_bytes = 0;
  std::string seeds;  // fingerprint of the nodes that the loss is on; empty: all
};

bool has_checkpoint(const std::filesystem::path& run);
// How the run's batches are made: what `--loader auto` chose then holds.
LoaderKind loader_of_checkpoint(const std::filesystem::path& run);

void save_checkpoint(const std::filesystem::path& run, const RunInfo& info,
                     const Parameters& parameters, const Adam& adam, const TrainState& state);

// Fills the parameters and the optimiser. `splits`: how many the training selects on now. Usage
// Error when an option that changes the result, other than epochs, differs from `now`, or when the
// run is past its epochs (a method that learns from labels may not change those either); data Error
// when it was trained on other data or the file is damaged.
TrainState load_checkpoint(const std::filesystem::path& run, const RunInfo& now, size_t splits,
                           Parameters& parameters, Adam& adam);

class MetricsFile {
 public:
  explicit MetricsFile(const std::filesystem::path& run) : path_(run / "metrics.jsonl") {}

  void create();                 // empty
  void cut_back(int64_t bytes);  // to what a checkpoint knew; empty when it is shorter than that
  void append(const std::string& line);
  int64_t bytes() const { return bytes_; }

  // Of the epochs that are in it: how long each took, and the largest resident size they told.
  struct Costs {
    std::vector<double> seconds;
    double peak_mib = 0;
  };
  Costs costs() const;

 private:
  std::filesystem::path path_;
  int64_t bytes_ = 0;
};

// Removes what an earlier run left in the folder, temporary files of killed processes included, and
// nothing else.
void clear_run_folder(const std::filesystem::path& run);
// Only those temporary files: nobody but this process may be writing to the run.
void clear_temporaries(const std::filesystem::path& run);

}  // namespace gs
