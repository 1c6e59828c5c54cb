// `eval`: the linear protocol on a run or on any .npy, and beside its score the same probe on what
// needs no training (raw features, two-hop smoothed ones, an untrained encoder of the same shape),
// so that one sees what training gave.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/progress.h"
#include "config/calls.h"
#include "eval/probe.h"
#include "method/run_folder.h"

namespace gs {

struct EncoderScore {
  std::optional<int64_t> seed;  // of its training; an .npy tells none
  Score score;
};

struct EvalResult {
  std::vector<EncoderScore> encoders;      // the run's own first; each on the same splits
  std::map<std::string, Score> reference;  // "raw", "smoothed", "untrained"
  std::string splits;                      // which splits, in words
  int64_t train_labels = 0;                // labels that a run's probe was trained on
  Protocol protocol = Protocol::authors;
  int64_t probe_epochs = 0, split_seed = 0;

  // Two deviations, both population ones: over splits within an encoder (root mean square over the
  // encoders) and over the encoders' means. The squares add up to the variance of all test scores.
  double mean() const;
  double deviation_within() const;
  double deviation_between() const;
};

// Trains an encoder as the run `info` was, but for the seed, on the splits of `split_seed` where it
// selects; returns the run folder it left, which lasts until the next call. `scored` is the dataset
// to score on when that is the run's own too, else nullptr.
using TrainAgain = std::function<std::filesystem::path(const RunInfo& info, const Dataset* scored,
                                                       int64_t seed, int64_t split_seed)>;

// The embeddings in an .npy, mapped where it holds floats in rows. Data Error unless it has a row a
// node.
at::Tensor load_embeddings(const std::filesystem::path& path, int64_t nodes);

// A run of a method that learns from labels is scored by what it predicts itself, each split by the
// model that was trained on it. A run of --select val has an encoder of its own for each split, and
// is scored on each with that one: usage Error when other splits are asked for, data Error when the
// data's are others. More than one seed needs a run (else a usage Error) and `train_again`.
EvalResult evaluate(const EvalCall& call, Progress& progress, const TrainAgain& train_again = {});

}  // namespace gs
