// Link prediction: edges are held out of the graph before the training, and pairs of nodes are
// scored by their embeddings: by the dot product, or by a logistic regression on the products of
// their columns that is learned from edges that stayed.
#pragma once

#include <span>
#include <vector>

#include "eval/task.h"

namespace gs {

// Percent.
struct LinkScore {
  double auc = 0;  // how often an edge outranks a pair without one
  double average_precision = 0;
  double hits_10 = 0, hits_50 = 0, hits_100 = 0;  // edges above the k-th best negative
  double mrr = 0;  // mean of 1 / rank among 100 nodes that the same end is not joined to
};

LinkScore score_links(std::span<const float> positive, std::span<const float> negative);

// Mean reciprocal rank; `negatives` has equally many scores for each positive. Ties count half; 0
// without positives.
double mean_reciprocal_rank(std::span<const float> positive, std::span<const float> negatives);

struct LinkEncoderScore {
  int64_t seed = 0, held_out = 0;  // of the training; edges held out of it
  LinkScore dot, logistic;
};

struct LinkResult final : TaskResult {
  std::vector<LinkEncoderScore> encoders;
  // Of all edges held out, which is less than was asked for on a large graph.
  double share = 0;

  nlohmann::json to_json() const override;
  std::string to_text() const override;

 private:
  std::vector<double> values(LinkScore LinkEncoderScore::*scorer, double LinkScore::*part) const;
};

// One training for each encoder asked for, each with edges of its own held out. Usage Error unless
// the input is a run of a method that learns without labels: embeddings that were made with all
// edges know the answers.
LinkResult predict_links(const EvalRequest& request, Progress& progress, const TrainEncoder& train);

}  // namespace gs
