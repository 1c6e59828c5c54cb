// Options of the batches, for trainings that do not use the whole graph at once.
#pragma once

#include "base/options.h"

namespace gs {

enum class NeighborSampling { uniform, weight };
inline constexpr Named<NeighborSampling> kNeighborSamplings[] = {
    {"uniform", NeighborSampling::uniform, "every neighbor with the same probability"},
    {"weight", NeighborSampling::weight, "in proportion to the edge weight"}};
constexpr std::span<const Named<NeighborSampling>> names_of(NeighborSampling) {
  return kNeighborSamplings;
}

enum class SaintSampler { walk, node, edge };
inline constexpr Named<SaintSampler> kSaintSamplers[] = {
    {"walk", SaintSampler::walk, "nodes on random walks from random roots"},
    {"node", SaintSampler::node, "nodes by the squared norm of their adjacency column"},
    {"edge", SaintSampler::edge, "endpoints of edges, by the inverse degrees of both"}};
constexpr std::span<const Named<SaintSampler>> names_of(SaintSampler) { return kSaintSamplers; }

enum class GammaScale { automatic, none };
inline constexpr Named<GammaScale> kGammaScales[] = {
    {"auto", GammaScale::automatic, "gamma times N / B where the constraint depends on the rows"},
    {"none", GammaScale::none, "gamma as given"}};
constexpr std::span<const Named<GammaScale>> names_of(GammaScale) { return kGammaScales; }

struct LoaderOptions {
  std::string loader = "auto";       // or a name of options/loaders.h
  std::string target_nodes = "all";  // or "train", or a file that lists nodes
  // Options of the neighbor loader.
  int64_t batch_size = 1024;
  std::vector<int64_t> fanouts{10, 10};  // from the target nodes outward
  NeighborSampling neighbor_sampling = NeighborSampling::uniform;
  // Options of the cluster loader.
  int64_t parts = 0;  // 0: parts of about 1000 nodes
  int64_t parts_per_batch = 20;
  // Options of the saint loader.
  SaintSampler saint_sampler = SaintSampler::walk;
  int64_t roots = 2000;
  int64_t walk_length = 2;
  int64_t coverage = 50;
  int64_t subgraphs = 1;
  int64_t steps = 0;  // 0: enough to draw about N nodes
  // Options of all loaders.
  int64_t workers = 1;   // 0: the training thread samples
  int64_t prefetch = 2;  // batches ready ahead
  int64_t memory = 0;    // MiB; 0: four fifths of the free memory
  GammaScale gamma_scale = GammaScale::automatic;

  void describe(OptionList& v);
  bool chooses_targets() const { return target_nodes != "all"; }
  // Neighbors kept at each of `layers` hops, from the target nodes outward. The last value repeats;
  // values beyond the layers are not used. Usage Error if there are none, or if one is 0 or below
  // -1.
  std::vector<int64_t> fanouts_of(int64_t layers) const;
};

}  // namespace gs
