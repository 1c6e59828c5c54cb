// How batches are made where the whole graph at once does not fit, or is not wanted.
#pragma once

#include "base/options.h"

namespace gs {

enum class LoaderKind { automatic, full, neighbor, cluster, saint };
enum class NeighborSampling { uniform, weight };
enum class SaintSampler { walk, node, edge };
enum class GammaScale { automatic, none };
std::span<const Named<LoaderKind>> names_of(LoaderKind);
std::span<const Named<NeighborSampling>> names_of(NeighborSampling);
std::span<const Named<SaintSampler>> names_of(SaintSampler);
std::span<const Named<GammaScale>> names_of(GammaScale);

struct LoaderOptions {
  LoaderKind loader = LoaderKind::automatic;
  std::string seeds = "all";  // or "train", or a file that lists nodes
  // neighbor
  int64_t batch_size = 1024;
  std::vector<int64_t> fanouts{10, 10};  // from the seeds outwards
  NeighborSampling neighbor_sampling = NeighborSampling::uniform;
  // cluster
  int64_t parts = 0;  // 0: parts of about 1000 nodes
  int64_t parts_per_batch = 20;
  // saint
  SaintSampler saint_sampler = SaintSampler::walk;
  int64_t roots = 2000;
  int64_t walk_length = 2;
  int64_t coverage = 50;
  int64_t subgraphs = 1;
  int64_t steps = 0;  // 0: as many as see about N nodes
  // all of them
  int64_t workers = 1;   // 0: the training thread samples
  int64_t prefetch = 2;  // batches ready ahead
  int64_t memory = 0;    // MiB; 0: most of what the machine has free
  GammaScale gamma_scale = GammaScale::automatic;

  void describe(OptionList& v);
  bool chosen_seeds() const { return seeds != "all"; }
  // Neighbours kept at each of `layers` hops, from the seeds outwards: the last value repeats,
  // values beyond the layers are not used. Usage Error when there are none, or one is 0 or below
  // -1.
  std::vector<int64_t> fanouts_of(int64_t layers) const;
};

}  // namespace gs
