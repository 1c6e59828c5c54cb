// Scores of a classifier on the splits of a dataset: accuracy and F1, or ROC-AUC. Scores are in
// percent.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "dataset/dataset.h"
#include "eval/metrics.h"
#include "options/probe.h"

namespace gs {

// Of one split.
struct ProbeScore {
  double validation = 0, test = 0;    // accuracy or (macro) ROC-AUC
  double macro_f1 = 0, micro_f1 = 0;  // scored by accuracy
  double micro_auc = 0;               // multi-label tasks
  int64_t best_step = 0;              // of Adam; iterations of the chosen fit of `logistic`
};

struct Score {
  Metric metric = Metric::accuracy;  // never automatic
  std::vector<ProbeScore> splits;

  std::vector<double> values() const;  // the test score of each split
  Spread spread() const { return spread_of(values()); }
};

// `asked`, automatic being ROC-AUC for multi-label tasks and accuracy for others. Usage Error if
// the labels do not have it.
Metric metric_of(const Labels& labels, Metric asked);
std::string metric_key(Metric metric);  // as JSON has it: "accuracy" or "roc_auc"

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

// A fraction: accuracy, or ROC-AUC of the second of two classes or over all classes.
double metric_value(const ScoreTable& scores, const Truth& truth, Metric metric);

// Fill the test part of a score, by accuracy or by ROC-AUC; `predictions` may be nullptr, otherwise
// it gets the classes.
void score_test(std::vector<int32_t> predicted, const Truth& truth, int64_t classes,
                ProbeScore& out, Predictions* predictions);
void score_test(const ScoreTable& scores, const Truth& truth, ProbeScore& out,
                Predictions* predictions);

}  // namespace gs
