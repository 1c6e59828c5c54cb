// The linear protocol: logistic regression on frozen embeddings.
#pragma once

#include "base/options.h"

namespace gs {

enum class Probe { both, logistic, paper };
inline constexpr Named<Probe> kProbes[] = {
    {"both", Probe::both, "logistic, and paper beside it"},
    {"logistic", Probe::logistic,
     "rows of length 1, fitted to convergence, the L2 penalty chosen on the validation nodes"},
    {"paper", Probe::paper,
     "a fixed number of Adam steps without a penalty, the best validation step kept"}};
constexpr std::span<const Named<Probe>> names_of(Probe) { return kProbes; }

enum class Metric { automatic, accuracy, roc_auc };
inline constexpr Named<Metric> kMetrics[] = {
    {"auto", Metric::automatic,
     "roc-auc for multi-label data and for datasets that are usually scored by it (Tolokers, "
     "Minesweeper, Questions), otherwise accuracy"},
    {"accuracy", Metric::accuracy, "share of the test nodes whose class is predicted"},
    {"roc-auc", Metric::roc_auc, "area under the ROC curve; for two classes or multi-label data"}};
constexpr std::span<const Named<Metric>> names_of(Metric) { return kMetrics; }

struct ProbeOptions {
  std::string splits = "auto";
  int64_t num_splits = 10;
  Probe probe = Probe::both;
  Metric metric = Metric::automatic;
  int64_t probe_epochs = 500;
  double probe_lr = 0.01;
  int64_t probe_every = 5;  // steps between scores of the validation nodes
  // Strengths C that `logistic` tries: 10^-1 to 10^3, or by the BGRL protocol 2^-10 to 2^10.
  bool wide_penalties = false;
  int64_t split_seed = 0;
  bool reference = true;  // also probe what needs no training

  void describe(OptionList& v);
};

}  // namespace gs
