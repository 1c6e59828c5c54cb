// Link prediction: edges are held out of the graph before the training, and pairs of nodes are
// scored by their embeddings, by the dot product or by a logistic regression on the products of
// their columns that is learned from edges that stayed.
#pragma once

#include <functional>

#include "base/progress.h"
#include "config/calls.h"
#include "graph/held_out.h"
#include "method/run_folder.h"

namespace gs {

struct LinkScore {  // percent
  double auc = 0;   // that an edge outranks a pair without one
  double average_precision = 0;
  double hits_10 = 0, hits_50 = 0, hits_100 = 0;  // edges above the k-th best of the negatives
  double mrr = 0;  // mean of 1 / rank among 100 nodes that the same end is not joined to
};

LinkScore score_links(std::span<const float> positive, std::span<const float> negative);

// Mean reciprocal rank: `rivals` has as many scores for each positive. Ties count half; 0 of none.
double mean_reciprocal_rank(std::span<const float> positive, std::span<const float> rivals);

struct LinkRun {
  int64_t seed = 0, held_out = 0;
  LinkScore dot, logistic;
};

struct LinkResult {
  std::vector<LinkRun> runs;
  double share =
      0;  // of all edges that was held out, which is less than was asked of a large graph
};

// Trains an encoder as the run `info` was, on `data` and with `seed`; returns its run folder.
using TrainOn =
    std::function<std::filesystem::path(const RunInfo& info, const Dataset& data, int64_t seed)>;

// One training for each of call.seeds seeds, each with edges of its own held out. Usage Error
// unless the input is a run of a method that learns without labels: embeddings that were made with
// all edges know the answers.
LinkResult evaluate_links(const EvalCall& call, Progress& progress, const TrainOn& train_on);

}  // namespace gs
