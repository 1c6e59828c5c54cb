#include "options/probe.h"

#include "options/train.h"

namespace gs {

void ProbeOptions::describe(OptionList& v) {
  v.group("Linear protocol");
  v("splits", splits, kSplitsHelp);
  v("num-splits", num_splits, "number of random splits").at_least(1).at_most(1000).renamed("runs");
  v("probe", probe, "logistic regression to score by").renamed("solver");
  v("metric", metric, "what a score is");
  v("probe-epochs", probe_epochs, "number of steps of the paper's probe, instead of the protocol's")
      .at_least(1);
  v("probe-lr", probe_lr, "learning rate of the paper's probe").at_least(0);
  v("probe-every", probe_every, "steps of the paper's probe between validation scores").at_least(1);
  v("split-seed", split_seed, "seed of random splits and of clusterings").at_least(0);
  v("reference", reference,
    "also score raw, two-hop smoothed and diffused features and an untrained encoder");
}

}  // namespace gs
