// Writes the files of a run folder, in an order that allows an interruption at any time.
#pragma once

#include "run/checkpoint.h"
#include "run/metrics.h"
#include "run/record.h"

namespace gs {

class RunWriter {
 public:
  // A writer that does not `write` keeps count of the epochs and leaves the folder to another
  // process.
  RunWriter(RunFolder folder, RunInfo info, RunRecord record, bool writes = true)
      : folder_(std::move(folder)),
        info_(std::move(info)),
        record_(std::move(record)),
        writes_(writes),
        metrics_(folder_.metrics()) {}

  const RunFolder& folder() const { return folder_; }
  const RunInfo& info() const { return info_; }
  bool writes() const { return writes_; }

  // Starts an empty run, or continues the one in the folder from a checkpoint.
  void start();
  void resume(int64_t metrics_bytes);

  void append(const EpochMetrics& epoch);
  int64_t metrics_bytes() const { return metrics_.bytes(); }

  // Saves the models of a finished training: `weights`, and those kept for each of `splits`.
  void save_models(const TensorMap& weights, const Kept& kept, const std::vector<Split>& splits);
  // `z`: N x W floats on the CPU. `ids` may be empty.
  void save_embeddings(const at::Tensor& z, const std::vector<std::string>& ids);

  // The ids of the nodes, which may be empty, after the embeddings; then seals the folder.
  void save_ids(const std::vector<std::string>& ids);
  // Records that the run ended: with embeddings, and then writes the model card; or by an error,
  // after so many epochs, unless nothing was written yet. `seconds`: since the start or the resume.
  void finish(int64_t rows, int64_t columns, double effective_rank, int64_t epochs, double seconds);
  void stop(const Error& error, int64_t epochs, double seconds);

  // Median time over all epochs, including those before an interruption.
  double median_ms() const;
  double peak_mib() const;

 private:
  void write_options() const;

  RunFolder folder_;
  RunInfo info_;
  RunRecord record_;
  bool writes_;
  bool writing_ = false;  // whether this training has begun to write
  double seconds_before_ = 0;
  MetricsFile metrics_;
  std::vector<double> seconds_;
  double peak_before_ = 0;
};

}  // namespace gs
