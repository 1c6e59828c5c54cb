// The linear protocol: logistic regression on frozen embeddings.
#pragma once

#include "base/options.h"

namespace gs {

enum class Solver { adam, lbfgs };
std::span<const Named<Solver>> names_of(Solver);

struct ProbeOptions {
  std::string splits = "auto";
  int64_t runs = 10;
  Solver solver = Solver::adam;
  int64_t probe_epochs = 500;
  double probe_lr = 0.01;
  int64_t probe_every = 5;  // steps between scores of the validation nodes
  int64_t split_seed = 0;
  bool reference = true;  // probe raw, smoothed and untrained features beside it

  void describe(OptionList& v);
};

}  // namespace gs
