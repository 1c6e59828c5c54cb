// The one training loop: epochs of Adam over the method's loss, one line of metrics per epoch,
// checkpoints, selection, and an alarm for collapsed embeddings. Two trainings may run in two
// threads at once, in folders of their own.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

#include "base/progress.h"
#include "dataset/dataset.h"
#include "options/run.h"
#include "run/metrics.h"
#include "train/plan.h"

namespace gs {

struct Share;

struct TrainRequest {
  std::string data;                 // as typed; kept in options.json
  std::filesystem::path run, init;  // folder to write; run with the initial weights, or empty
  RunOptions options;
  bool resume = false, overwrite = false;
  // Set by SIGINT or SIGTERM: the training writes a checkpoint and ends with an Error of kind
  // interrupted.
  const std::atomic<bool>* stop = nullptr;
  // Seed of the splits of --select val; by default the training's own.
  std::optional<int64_t> split_seed = {};
  // Ends after this epoch, with a complete run folder that `resume` continues; 0: after all of
  // options.train.epochs. Not for a supervised method, which trains each split separately.
  int64_t until = 0;
  int threads = 0;  // 0: every core this process may run on
  // A process group of torch.distributed, by the name that Python gave it; empty: this process
  // alone. The first rank writes the run folder.
  std::string group = {};
};

// Views that agree less than this on average have little in common.
inline constexpr double kLowViewAgreement = 0.3;

struct TrainResult {
  std::string run, method;
  int64_t nodes = 0, columns = 0;  // of the embeddings
  int64_t epochs = 0, parameters = 0;
  double seconds = 0;         // of this call
  double ms_per_epoch = 0;    // median, including the epochs before an interruption
  double peak_mib = 0;        // largest resident size, likewise
  double effective_rank = 0;  // rank of the written embeddings; 0 if nothing was learned
  // Mean cosine of a node's two views without dropout; of a trained graphsurgeon.
  std::optional<double> view_agreement;
  Plan plan;
  std::string note;  // the method's own, often empty
  // What to type next, of a run on data that can be named; the command fills it in.
  std::string next = {};
  EpochMetrics last;
};

// Trains and leaves a complete run folder. An existing run is refused without resume or overwrite.
// A collapsed or non-finite run ends with a data Error and keeps the last good checkpoint. The
// caller has opened a ThreadScope; command/train.h does, with request.threads.
TrainResult train(const Dataset& data, const TrainRequest& request,
                  Progress& progress = no_progress());
// On several ranks the call is collective, and `progress` should be shown by the first alone.
TrainResult train(const Share& share, const TrainRequest& request,
                  Progress& progress = no_progress());

}  // namespace gs
