// More encoders like a run's, with other seeds, for `eval --encoders`: trained one at a time in a
// temporary folder that is removed with this object.
#pragma once

#include <filesystem>

#include "eval/task.h"
#include "run/info.h"

namespace gs {

class EncoderTrainer {
 public:
  EncoderTrainer(const EvalRequest& request, Progress& progress)
      : request_(request), progress_(progress) {}
  ~EncoderTrainer();
  EncoderTrainer(const EncoderTrainer&) = delete;
  EncoderTrainer& operator=(const EncoderTrainer&) = delete;

  // See TrainEncoder. Error of kind interrupted if the request's flag is set meanwhile.
  std::filesystem::path train(const RunInfo& info, const Dataset& data, int64_t seed,
                              int64_t split_seed);

 private:
  const EvalRequest& request_;
  Progress& progress_;
  std::filesystem::path folder_;
};

}  // namespace gs
