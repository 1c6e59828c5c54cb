// Parts of a partition, a few drawn for each batch, with all edges between them (Cluster-GCN,
// Chiang et al. 2019). Normalised as a graph of its own. The partition does not depend on the seed,
// so that every run finds it in the cache.
#include <algorithm>

#include "graph/partition.h"
#include "loader/order.h"
#include "loader/subgraph_batch.h"
#include "loader/table.h"

namespace gs {

namespace {

constexpr uint64_t kPartitionSeed = 0;

class ClusterLoader : public Loader {
 public:
  ClusterLoader(const Dataset& data, const LoaderOptions& options, const LoaderContext& context)
      : Loader(data),
        norm_(context.norm),
        random_(context.random.fork("cluster")),
        seeds_(data.nodes(), context.seed_nodes),
        per_batch_(options.parts_per_batch) {
    const int64_t wanted = options.parts > 0 ? options.parts : usual_parts(data.nodes());
    const std::vector<int32_t> part = partition(data.graph, wanted, kPartitionSeed, context.cache);
    parts_.resize(static_cast<size_t>(*std::max_element(part.begin(), part.end())) + 1);
    for (int64_t v = 0; v < data.nodes(); ++v) parts_[part[v]].push_back(static_cast<int32_t>(v));
    std::erase_if(parts_, [](const std::vector<int32_t>& nodes) { return nodes.empty(); });
  }

  int64_t batches() const override {
    return (static_cast<int64_t>(parts_.size()) + per_batch_ - 1) / per_batch_;
  }

 private:
  Sample draw(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const override {
    const auto count = static_cast<int64_t>(parts_.size());
    const auto order = epoch_order(random_, epoch, count, workspace);
    const int64_t begin = index * per_batch_, end = std::min(count, begin + per_batch_);
    Sample sample;
    for (int64_t i = begin; i < end; ++i) {
      const std::vector<int32_t>& part = parts_[order[i]];
      sample.nodes.insert(sample.nodes.end(), part.begin(), part.end());
    }
    sample.seeds = seeds_.seeds_first(sample.nodes);
    const Csr graph = induced_subgraph(data().graph, sample.nodes, workspace.subgraph);
    sample.layers.push_back(
        {as_matrix(graph), normalization(graph, norm_), data().graph.symmetric});
    return sample;
  }

  Norm norm_;
  Random random_;
  SeedSet seeds_;
  int64_t per_batch_;
  std::vector<std::vector<int32_t>> parts_;  // none is empty
};

}  // namespace

std::unique_ptr<Loader> make_cluster(const Dataset& data, const LoaderOptions& options,
                                     const LoaderContext& context) {
  return std::make_unique<ClusterLoader>(data, options, context);
}

}  // namespace gs
