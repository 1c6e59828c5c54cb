// An evaluation task: what `eval --task NAME` computes. A task is one source in this folder and one
// row in options/tasks.h. No libtorch in this header.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "base/progress.h"
#include "dataset/load.h"
#include "options/probe.h"
#include "options/run.h"
#include "options/tasks.h"

namespace gs {

struct RunInfo;

struct EvalRequest {
  std::string input;  // a run folder or an .npy
  std::string data;
  LoadOptions load;
  ProbeOptions probe;
  TaskOptions task;
  Protocol protocol = Protocol::authors;
  // Names of the options above that the user set. The others follow the run: treatment of the data,
  // protocol, and the splits that --select val chose on.
  std::set<std::string> given = {};
  std::string device = "cpu";
  int64_t memory_mib = 8192;     // for intermediate layers and smoothed features
  std::string predictions = {};  // an .npy to write: predictions of the first split's test nodes
  bool overwrite = false;        // an existing file of predictions
  bool keep = true;              // leave the scores in the run folder
  int threads = 0;               // 0: all cores
  // Called when an encoder is trained: the flag that stops the training when it is set.
  std::function<const std::atomic<bool>*()> stop = {};
};

class TaskResult {
 public:
  virtual ~TaskResult() = default;
  virtual nlohmann::json to_json() const = 0;  // has "metric", "mean", "std" and "values"
  virtual std::string to_text() const = 0;
};

// Trains an encoder as the run `info` was, but on `data`, with `seed`, and on the splits of
// `split_seed` if it selects on validation nodes. Returns its run folder, which lasts until the
// next call. The command passes it in, since this folder knows nothing of the trainer.
using TrainEncoder = std::function<std::filesystem::path(const RunInfo& info, const Dataset& data,
                                                         int64_t seed, int64_t split_seed)>;

class EvalTask {
 public:
  virtual ~EvalTask() = default;
  virtual std::unique_ptr<TaskResult> run(const EvalRequest& request, Progress& progress,
                                          const TrainEncoder& train) const = 0;
};

// Defined in eval/make_task.h; the source of each task instantiates it for its own class.
template <class T>
std::unique_ptr<EvalTask> make_task();

// The task of that name; usage Error if there is none.
std::unique_ptr<EvalTask> find_task(const std::string& name);

}  // namespace gs
