// metrics.jsonl: one line per epoch.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gs {

struct EpochMetrics {
  int64_t epoch = 0;
  std::optional<int64_t> split;      // with a supervised method
  std::optional<double> validation;  // percent, if the validation nodes were scored
  double loss = 0, gradient_norm = 0, seconds = 0;
  std::optional<double> effective_rank;  // rank of the embeddings, if measured
  int64_t batches = 1;
  // In a sampled epoch: CPU seconds of sampling and of gathering features, and seconds of waiting.
  double sample_seconds = 0, gather_seconds = 0, wait_seconds = 0;
  std::vector<std::pair<std::string, double>> terms;
};

// The largest resident size of this process so far.
double peak_mib();

class MetricsFile {
 public:
  explicit MetricsFile(std::filesystem::path path) : path_(std::move(path)) {}
  void create();                 // creates an empty file
  void cut_back(int64_t bytes);  // to the length in a checkpoint; a shorter file becomes empty
  void append(const EpochMetrics& epoch);
  int64_t bytes() const { return bytes_; }

  // The duration of each epoch in the file, and the largest resident size that they reported.
  struct Costs {
    std::vector<double> seconds;
    double peak_mib = 0;
  };
  Costs costs() const;

 private:
  std::filesystem::path path_;
  int64_t bytes_ = 0;
};

}  // namespace gs
