// The batches of a training, in order from any point: the whole graph once an epoch, or a loader's
// samples, made ahead.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "config/run_options.h"
#include "loader/prefetch.h"
#include "method/batch.h"

namespace gs {

class Batches {
 public:
  // The dataset must outlive it. `kind` is not automatic. `first_width`: Method::first_width().
  Batches(const Dataset& data, const RunOptions& options, LoaderKind kind, int64_t first_width,
          const Place& place, Random random);

  // Makes the loader of a sampled kind, whose loss is on `seeds` (empty: on all nodes). Before
  // start().
  void seed(std::vector<int32_t> seeds);
  bool sampled() const { return options_.loader != LoaderKind::full; }
  int64_t per_epoch() const { return loader_ ? loader_->batches() : 1; }
  const Batch& whole() const { return whole_; }  // the graph, for inference

  // From batch `index` of `epoch` on, to the end of epoch `epochs` - 1.
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
  const Dataset& data_;
  LoaderOptions options_;
  LoaderContext context_;
  std::vector<int32_t> seeds_;
  Place place_;
  Batch whole_;
  std::unique_ptr<Loader> loader_;
  std::optional<Prefetch> ahead_;
};

}  // namespace gs
