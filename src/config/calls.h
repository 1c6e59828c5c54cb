// What the commands that need libtorch are asked to do, as plain values.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "config/probe_options.h"
#include "config/run_options.h"

namespace gs {

struct TrainCall {
  std::string data;                 // as typed; kept in options.json
  std::filesystem::path run, init;  // folder to write; a run whose weights to start from, or empty
  RunOptions options;
  bool resume = false, overwrite = false;
  const std::atomic<bool>* stop =
      nullptr;  // set by SIGINT or SIGTERM: checkpoint, then an Error of kind interrupted
  std::optional<int64_t> split_seed = {};  // of the splits of --select val; else the training's own
  // Ends after this epoch of options.train.epochs, with a complete run folder that `resume` goes on
  // from; 0: after all. Not for a method that learns from labels, whose splits have epochs each.
  int64_t until = 0;
};

struct EmbedCall {
  std::filesystem::path run, output;  // run: or an .npy of embeddings, with `nearest`
  std::string data;
  LoadOptions load;
  bool overwrite = false;
  int64_t memory_mib = 8192;
  // A node's original id, or its number as "#57"; then its `k` nearest are returned, and `output`
  // is a .csv of them. Otherwise `output` is the embeddings, .npy or .csv.
  std::string nearest;
  int64_t k = 10;
  std::string device = "cpu";
  std::set<std::string> given = {};  // names of the options of `load` that the user set
};

struct InspectCall {
  std::filesystem::path run;
  std::string data;
  LoadOptions load;
  std::set<std::string> given = {};  // names of the options of `load` that the user set
  int64_t top = 20;                  // features and nodes to name
  int64_t memory_mib = 8192;
  std::string device = "cpu";
  std::string agreement = {};  // an .npy to write: the cosine of each node's views
};

enum class EvalTask { classification, clustering, links };
std::span<const Named<EvalTask>> names_of(EvalTask);

struct EvalCall {
  std::string input;  // a run folder or an .npy
  std::string data;
  LoadOptions load;
  ProbeOptions probe;
  // Names of the options above and of "protocol" that the user set. The rest follows the run:
  // treatment of the data, protocol, and the splits that --select val chose on.
  std::set<std::string> given;
  std::string device = "cpu";
  Protocol protocol = Protocol::authors;
  int64_t memory_mib = 8192;
  int64_t seeds = 1;  // encoders to score: the run's own, and `seeds` - 1 trained for this
  const std::atomic<bool>* stop = nullptr;  // as of a TrainCall
  EvalTask task = EvalTask::classification;
  double held_out = 0.1;  // share of the edges to predict (links)
  // An .npy to write: what the first split's test nodes are taken for.
  std::string predictions = {};
};

}  // namespace gs
