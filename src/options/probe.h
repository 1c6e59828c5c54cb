// The linear protocol: logistic regression on frozen embeddings.
#pragma once

#include "base/options.h"

namespace gs {

enum class Solver { adam, lbfgs };
inline constexpr Named<Solver> kSolvers[] = {
    {"adam", Solver::adam, "a fixed number of steps, the best validation step kept"},
    {"lbfgs", Solver::lbfgs, "to convergence, the L2 penalty chosen on the validation nodes"}};
constexpr std::span<const Named<Solver>> names_of(Solver) { return kSolvers; }

struct ProbeOptions {
  std::string splits = "auto";
  int64_t num_splits = 10;
  Solver solver = Solver::adam;
  int64_t probe_epochs = 500;
  double probe_lr = 0.01;
  int64_t probe_every = 5;  // steps between scores of the validation nodes
  int64_t split_seed = 0;
  bool reference = true;  // also probe raw features, smoothed ones and an untrained encoder

  void describe(OptionList& v);
};

}  // namespace gs
