#include "train/collapse_monitor.h"

#include "base/error.h"
#include "objective/spectrum.h"

namespace gs {

namespace {

// Below this effective rank nearly all embeddings lie on one line.
constexpr double kCollapsedRank = 1.5;
// Number of low measurements in a row that stop a run.
constexpr int kCollapsedMeasurements = 2;

}  // namespace

CollapseMonitor::CollapseMonitor(const RunOptions& options, bool supervised, std::string where)
    : every_(options.train.rank_every),
      may_stop_(!supervised && options.model.dim >= 4),
      where_(std::move(where)) {}

bool CollapseMonitor::due(int64_t epochs_before) const {
  return epochs_before == 0 || (epochs_before + 1) % every_ == 0;
}

void CollapseMonitor::measure(const at::Tensor& embeddings, const Batch& batch,
                              int64_t epochs_before) {
  rank_ = effective_rank(embeddings, batch);
  low_ = may_stop_ && rank_ < kCollapsedRank ? low_ + 1 : 0;
  if (low_ >= kCollapsedMeasurements)
    fail_data(
        where_,
        fmt::format("the embeddings collapsed to one direction (effective rank {:.2f}) by epoch {}",
                    rank_, epochs_before + 1),
        "the last good checkpoint is kept; try a larger --gamma or a lower --lr");
}

}  // namespace gs
