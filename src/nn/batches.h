// The batches of a training in order, from any position: the whole graph once per epoch, or a
// loader's samples, made ahead.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "loader/prefetch.h"
#include "nn/batch.h"
#include "options/loaders.h"
#include "options/run.h"

namespace gs {

class Batches {
 public:
  // The share must outlive it. `loader` is not auto. `first_width`: Method::first_width().
  // `progress` and `stop`: of a loader's preparations, as in LoaderContext. Collective, as is
  // next().
  Batches(const Share& share, const RunOptions& options, const std::string& loader,
          int64_t first_width, const Device& device, Random random, Progress& progress,
          const std::atomic<bool>* stop);

  // Makes the loader, if there is one; the loss is on `targets` (empty: all nodes). Call it before
  // start().
  void set_targets(std::vector<int32_t> targets);

  bool sampled() const { return options_.loader != kFullBatch; }
  int64_t per_epoch() const { return loader_ ? loader_->batches() : 1; }
  const Batch& whole() const { return whole_; }  // the graph, for inference

  // Starts at batch `index` of `epoch`, up to the end of epoch `epochs` - 1.
  void start(int64_t epoch, int64_t index, int64_t epochs);

  struct Times {
    double sample = 0, gather = 0, wait = 0;  // CPU seconds of making it; seconds waited for it
  };
  struct Item {
    Batch batch;
    Times times;
  };
  Item next();

 private:
  const Share share_;  // a view: what it refers to must outlive this
  LoaderOptions options_;
  LoaderContext context_;
  std::vector<int32_t> targets_;
  Device device_;
  Batch whole_;
  std::unique_ptr<Loader> loader_;
  std::optional<Prefetch> ahead_;
};

}  // namespace gs
