#include "options/train.h"

namespace gs {

void TrainOptions::describe(OptionList& v) {
  v.group("Training");
  v("epochs", epochs, "passes over the graph").at_least(0);
  v("lr", lr, "learning rate of Adam").at_least(0).tune_log(1e-4, 1e-1);
  v("weight-decay", weight_decay, "L2 penalty added to the gradients").at_least(0);
  v("clip", clip, "maximum gradient norm; 0 disables clipping").at_least(0);
  v("select", select, "which epoch's model is kept");
  v("select-every", select_every, "epochs between probes with --select val").at_least(1);
  v("checkpoint-every", checkpoint_every, "epochs between checkpoints; 0 writes one at the end")
      .at_least(0);
  v("rank-every", rank_every,
    "epochs between measurements of the embeddings' effective rank, which detects a collapse")
      .at_least(1);
  v("splits", splits, kSplitsHelp);
  v("num-splits", num_splits, "number of random splits").at_least(1).at_most(1000).renamed("runs");
  v("seed", seed, "seed of weights, masks and splits").at_least(0);
  v("kernels", kernels, "kernel implementation");
  v("device", device, "device to train on: cpu, cuda or cuda:N");
}

}  // namespace gs
