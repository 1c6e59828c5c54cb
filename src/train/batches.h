// The batches of a training, in order from any point: the whole graph once an epoch, or a loader's
// samples, made ahead.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "config/run_options.h"
#include "loader/prefetch.h"
#include "method/graphsurgeon.h"

namespace gs {

class Batches {
 public:
  // The dataset must outlive it. `kind` is not automatic.
  Batches(const Dataset& data, const RunOptions& options, LoaderKind kind, const Place& place,
          Random random);

  bool sampled() const { return loader_ != nullptr; }
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
  std::vector<int32_t> seeds_;
  Place place_;
  Batch whole_;
  std::unique_ptr<Loader> loader_;
  std::optional<Prefetch> ahead_;
  int64_t workers_, ready_;
};

}  // namespace gs
