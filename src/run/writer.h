// Writes the files of a run folder, in an order that allows an interruption at any time.
#pragma once

#include "run/checkpoint.h"
#include "run/metrics.h"

namespace gs {

class RunWriter {
 public:
  RunWriter(RunFolder folder, RunInfo info)
      : folder_(std::move(folder)), info_(std::move(info)), metrics_(folder_.metrics()) {}

  const RunFolder& folder() const { return folder_; }
  const RunInfo& info() const { return info_; }

  // Starts an empty run, or continues the one in the folder from a checkpoint.
  void start();
  void resume(int64_t metrics_bytes);

  void append(const EpochMetrics& epoch);
  int64_t metrics_bytes() const { return metrics_.bytes(); }

  // Saves the models of a finished training: `weights`, and those kept for each of `splits`.
  void save_models(const TensorMap& weights, const Kept& kept, const std::vector<Split>& splits);
  // `z`: N x W floats on the CPU. `ids` may be empty.
  void save_embeddings(const at::Tensor& z, const std::vector<std::string>& ids);

  // Median time over all epochs, including those before an interruption.
  double median_ms() const;
  double peak_mib() const;

 private:
  void write_options() const;

  RunFolder folder_;
  RunInfo info_;
  MetricsFile metrics_;
  std::vector<double> seconds_;
  double peak_before_ = 0;
};

}  // namespace gs
