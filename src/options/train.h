// Options of the training: steps, optimizer, selection, checkpoints.
#pragma once

#include "base/options.h"

namespace gs {

enum class Select { last, val };
inline constexpr Named<Select> kSelects[] = {
    {"last", Select::last, "the last epoch; reads no labels"},
    {"val", Select::val, "the epoch with the best probe of the validation nodes"}};
constexpr std::span<const Named<Select>> names_of(Select) { return kSelects; }

enum class Kernels { native, torch };
inline constexpr Named<Kernels> kKernels[] = {
    {"native", Kernels::native, "our kernels on the CPU, plain libtorch elsewhere"},
    {"torch", Kernels::torch, "plain libtorch operations"}};
constexpr std::span<const Named<Kernels>> names_of(Kernels) { return kKernels; }

struct TrainOptions {
  int64_t epochs = 60;
  double lr = 0.005;
  double weight_decay = 0;
  double clip = 0;  // maximum gradient norm; 0: off
  Select select = Select::last;
  int64_t select_every = 10;  // epochs between probes of the validation nodes
  int64_t checkpoint_every = 10;
  int64_t rank_every = 10;      // epochs between measurements of the effective rank
  std::string splits = "auto";  // used only by --select val and supervised methods
  int64_t num_splits = 10;
  int64_t seed = 0;
  Kernels kernels = Kernels::native;
  std::string device = "cpu";

  void describe(OptionList& v);
};

// The syntax of --splits, for help.
inline constexpr const char* kSplitsHelp =
    "which splits to use: auto, own, random:5/15/80, per-class:20 or public:k";

}  // namespace gs
