// One training and its score, run by this program in processes of their own, so that peak memory is
// the training's and a failure takes nothing with it. What is done lies in a file of its own for
// each setting, and is not done again.
#pragma once

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/run_options.h"
#include "study/process.h"

namespace gs {

struct Experiment {
  std::string name;     // of its file, unlike any other's in the folder
  std::string dataset;  // as train takes it
  RunOptions options;
  int64_t seeds = 1;         // encoders to score, of a method that learns without labels
  bool score = true;         // else time and memory alone
  int64_t probe_epochs = 0;  // 0: as the protocol has it
};

// The options of a training: the method's own values, those of `preset` (none: ""), and what is
// `given` by name.
RunOptions options_with(const nlohmann::json& given, const std::string& preset);

class Laboratory {
 public:
  // `threads` 0: all. `stop` may be nullptr.
  Laboratory(std::filesystem::path folder, int64_t threads, std::string data_root,
             const std::atomic<bool>* stop)
      : folder_(std::move(folder)),
        threads_(threads),
        data_root_(std::move(data_root)),
        stop_(stop) {}

  // Its row: epochs, ms_per_epoch, peak_mib, parameters, loader, seconds, threads, and with a score
  // metric, mean, std, std_over_seeds, runs, splits; with --select val a curve of [epoch,
  // validation]; or a "problem". Error of kind interrupted when stopped: what was done stays done.
  // A cell that is done serves for any number of threads; its row tells those it was timed with.
  nlohmann::json run(const Experiment& experiment) const;

 private:
  nlohmann::json make(const Experiment& experiment) const;
  nlohmann::json train(const Experiment& experiment, const std::filesystem::path& work) const;
  ProcessResult call(const Experiment& experiment, std::vector<std::string> arguments) const;

  std::filesystem::path folder_;
  int64_t threads_;
  std::string data_root_;
  const std::atomic<bool>* stop_;
};

}  // namespace gs
