// More encoders like a run's, of other seeds, for `eval --seeds`: trained one at a time in a
// temporary folder that goes away with this object.
#pragma once

#include <filesystem>

#include "config/calls.h"
#include "eval/protocol.h"

namespace gs {

class SeedTrainer {
 public:
  SeedTrainer(const EvalCall& call, Progress& progress) : call_(call), progress_(progress) {}
  ~SeedTrainer();
  SeedTrainer(const SeedTrainer&) = delete;
  SeedTrainer& operator=(const SeedTrainer&) = delete;

  // As TrainAgain says. Loads the run's own data when it is not what is scored: data Error when
  // that is no longer there, or no longer what it was.
  std::filesystem::path train(const RunInfo& info, const Dataset* scored, int64_t seed,
                              int64_t split_seed);
  // On other data than the run's own: for link prediction.
  std::filesystem::path train_on(const RunInfo& info, const Dataset& data, int64_t seed,
                                 int64_t split_seed = 0);

 private:
  const Dataset& training_data(const RunInfo& info, const Dataset* scored);

  const EvalCall& call_;
  Progress& progress_;
  std::filesystem::path folder_;
  std::optional<Dataset> own_;
};

}  // namespace gs
