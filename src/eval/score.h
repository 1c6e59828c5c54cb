// Scores of a classifier on the splits of a dataset: accuracy and F1 of single-label tasks, ROC-AUC
// of multi-label ones. Scores are in percent.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "dataset/dataset.h"
#include "eval/metrics.h"

namespace gs {

// Of one split.
struct ProbeScore {
  double validation = 0, test = 0;    // accuracy, or macro ROC-AUC
  double macro_f1 = 0, micro_f1 = 0;  // single-label tasks
  double micro_auc = 0;               // multi-label tasks
  int64_t best_step = 0;              // of Adam; iterations of the chosen fit of L-BFGS
};

struct Score {
  std::string metric;  // "accuracy" or "roc_auc"
  std::vector<ProbeScore> splits;

  std::vector<double> values() const;  // the test score of each split
  Spread spread() const { return spread_of(values()); }
};

// "accuracy", or "roc_auc" for multi-label tasks.
std::string metric_of(const Labels& labels);

// {"metric", "mean", "std", "values": [one per split], "details": [one per split]}
nlohmann::json to_json(const Score& score);

// The predictions of the labeled test nodes of a split.
struct Predictions {
  std::vector<int32_t> nodes;
  std::vector<int32_t> single;  // one class per node
  std::vector<uint8_t> multi;   // multi-label tasks: one row of zeros and ones per node
};

// The labels of some nodes, as the metrics read them.
struct Truth {
  std::vector<int32_t> single;
  std::vector<uint8_t> multi;  // class-major

  Truth(const Labels& labels, std::span<const int32_t> nodes);
};

// Fill the test part of a score; `predictions` may be nullptr, otherwise it gets the classes.
void score_test(std::vector<int32_t> predicted, const Truth& truth, int64_t classes,
                ProbeScore& out, Predictions* predictions);
void score_test(const ScoreTable& scores, const Truth& truth, ProbeScore& out,
                Predictions* predictions);

}  // namespace gs
