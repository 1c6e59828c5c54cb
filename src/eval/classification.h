// The linear protocol on a run or on any .npy, and beside its scores the same probes on what needs
// no training (raw, two-hop smoothed and diffused features, an untrained encoder of the same
// shape), which shows what the training adds.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eval/score.h"
#include "eval/task.h"

namespace gs {

// The scores of one embedding by each probe asked for, the headline first: "logistic", "paper", or
// "predictions" for a method that predicts by itself.
struct NamedScore {
  std::string probe;
  Score score;
};
using ProbeScores = std::vector<NamedScore>;

struct EncoderScore {
  std::optional<int64_t> seed;  // of its training; unknown for an .npy
  ProbeScores scores;
};

// How an embedding does beside the best one that needs no training, by the logistic probe (or its
// own predictions) on the same splits.
struct Verdict {
  enum class Outcome { better, equal, worse };
  std::string against;                   // the best reference's key
  double difference = 0;                 // of the mean scores, in percent points
  std::optional<double> standard_error;  // of the paired difference; none for one split

  Outcome outcome() const;  // equal within one standard error
};

struct ClassificationResult final : TaskResult {
  std::vector<EncoderScore> encoders;            // the run's own first; all on the same splits
  std::map<std::string, ProbeScores> reference;  // "raw", "smoothed", "diffused", "untrained"
  std::string splits;                            // which splits, in words
  int64_t train_labels = 0;  // labels that the first split's probe was trained on
  Protocol protocol = Protocol::authors;
  std::string own_title = "trained";  // of the row of what is scored
  bool judged = true;                 // false for what is a reference itself
  int64_t probe_epochs = 0, split_seed = 0;

  // By probe `p`, 0 being the headline. Two deviations, both of the population: over the splits of
  // an encoder (root mean square over the encoders) and over the encoders' means. Their squares add
  // up to the variance of all test scores.
  double mean(size_t p = 0) const { return over_encoders(p).mean; }
  double deviation_within(size_t p = 0) const;
  double deviation_between(size_t p = 0) const { return over_encoders(p).deviation; }

  // None without references, without the logistic probe, or for what is a reference itself.
  std::optional<Verdict> verdict() const;
  std::string verdict_text() const;  // a sentence, or nothing

  nlohmann::json to_json() const override;
  std::string to_text() const override;

 private:
  Spread over_encoders(size_t p) const;  // of their means
};

// A run of a method that learns from labels is scored by its own predictions, each split by the
// model that was trained on it. A run of --select val has one encoder per split and is scored on
// each split with that one: usage Error if other splits are asked for, data Error if the data's are
// others. More than one encoder needs a run (else a usage Error) and `train`.
ClassificationResult classify(const EvalRequest& request, Progress& progress,
                              const TrainEncoder& train = {});

}  // namespace gs
