// How a model is trained: steps, optimiser, selection, checkpoints.
#pragma once

#include "base/options.h"

namespace gs {

enum class Select { last, val };
enum class Kernels { native, torch };
std::span<const Named<Select>> names_of(Select);
std::span<const Named<Kernels>> names_of(Kernels);

struct TrainOptions {
  int64_t epochs = 60;
  double lr = 0.005;
  double weight_decay = 0;
  double clip = 0;  // largest gradient norm; 0: off
  Select select = Select::last;
  int64_t select_every = 10;  // epochs between probes of the validation nodes
  int64_t checkpoint_every = 10;
  int64_t rank_every = 10;      // epochs between looks at the embeddings' effective rank
  std::string splits = "auto";  // used by --select val alone
  int64_t runs = 10;
  int64_t seed = 0;
  Kernels kernels = Kernels::native;
  std::string device = "cpu";

  void describe(OptionList& v);
};

}  // namespace gs
