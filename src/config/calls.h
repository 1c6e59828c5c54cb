// What the commands that need libtorch are asked to do, as plain values.
#pragma once

#include <atomic>
#include <filesystem>
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
};

struct EmbedCall {
  std::filesystem::path run, output;  // output: .npy, or .csv
  std::string data;
  LoadOptions load;
  bool overwrite = false;
  int64_t memory_mib = 8192;
  std::string nearest;  // a node's original id; then its `k` nearest are returned instead
  int64_t k = 10;
  std::string device = "cpu";
};

struct EvalCall {
  std::string input;  // a run folder or an .npy
  std::string data;
  LoadOptions load;
  ProbeOptions probe;
  bool load_given = false;  // else a run's own data treatment is used
  std::string device = "cpu";
};

}  // namespace gs
