#include "options/loader.h"

#include "base/error.h"
#include "options/loaders.h"

namespace gs {

namespace {

constexpr double kMostNodes = 2147483647;  // of a graph

}  // namespace

void LoaderOptions::describe(OptionList& v) {
  v.group("Batches");
  v("loader", loader, "how batches are made").one_of(loader_choices());
  v("target-nodes", target_nodes,
    "nodes that the loss is computed on: all, train (the training split), or a file with one id "
    "per line or an .npy of node numbers (neighbor, cluster, saint)")
      .renamed("seeds");
  v("batch-size", batch_size, "target nodes per batch (neighbor)").at_least(1).at_most(kMostNodes);
  v("fanouts", fanouts,
    "neighbors kept at each hop from the target nodes; -1 keeps all, the last value repeats "
    "(neighbor)")
      .at_least(-1)
      .at_most(kMostNodes);
  v("neighbor-sampling", neighbor_sampling, "which neighbors are kept (neighbor)");
  v("parts", parts, "parts of the partition; 0 makes parts of about 1000 nodes (cluster)")
      .at_least(0)
      .at_most(kMostNodes);
  v("parts-per-batch", parts_per_batch, "parts per batch (cluster)")
      .at_least(1)
      .at_most(kMostNodes);
  v("saint-sampler", saint_sampler, "how the nodes of a subgraph are drawn (saint)");
  v("roots", roots, "draws per subgraph: walk roots, nodes or edges (saint)")
      .at_least(1)
      .at_most(kMostNodes);
  v("walk-length", walk_length, "steps per walk (saint)").at_least(0).at_most(10'000);
  v("coverage", coverage,
    "average number of draws per node in the estimate of its probability (saint)")
      .at_least(1)
      .at_most(10'000);
  v("subgraphs", subgraphs, "subgraphs per batch (saint)").at_least(1).at_most(10'000);
  v("steps", steps, "batches per epoch; 0 makes enough to draw about N nodes (saint)").at_least(0);
  v("workers", workers, "threads that make batches; 0 samples in the training thread").at_least(0);
  v("prefetch", prefetch, "batches made ahead").at_least(1);
  v("gamma-scale", gamma_scale, "scale of gamma for a batch of B rows");
  v("memory", memory,
    "MiB that the run may use; 0 allows four fifths of the free memory. A run that needs more is "
    "refused")
      .at_least(0);
}

std::vector<int64_t> LoaderOptions::fanouts_of(int64_t layers) const {
  const auto fail = [&](std::string message) {
    fail_usage("--fanouts", std::move(message), "as in --fanouts 10,10; -1 keeps all neighbors");
  };
  if (fanouts.empty()) fail("needs at least one value");
  for (const int64_t fanout : fanouts)
    if (fanout == 0 || fanout < -1) fail(fmt::format("{} keeps no neighbor", fanout));
  std::vector<int64_t> out = fanouts;
  out.resize(static_cast<size_t>(layers), fanouts.back());
  return out;
}

}  // namespace gs
