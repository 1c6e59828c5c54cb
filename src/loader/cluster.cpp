// Parts of a partition, a few drawn for each batch, with all edges between them (Cluster-GCN,
// Chiang et al. 2019). A batch is normalized as a graph of its own. The partition does not depend
// on the seed, so that every run finds it in the cache.
#include <algorithm>

#include "graph/partition.h"
#include "loader/maker.h"
#include "loader/order.h"
#include "loader/subgraph_batch.h"

namespace gs {

namespace {

constexpr uint64_t kPartitionSeed = 0;

}  // namespace

class ClusterLoader final : public Loader {
 public:
  ClusterLoader(const Dataset& data, const LoaderOptions& options, const LoaderContext& context)
      : Loader(data),
        norm_(context.norm),
        random_(context.random.fork("cluster")),
        targets_(data.nodes(), context.target_nodes),
        per_batch_(options.parts_per_batch) {
    const int64_t wanted = options.parts > 0 ? options.parts : usual_parts(data.nodes());
    const std::vector<int32_t> part = partition(data.graph, wanted, kPartitionSeed, context.cache);
    parts_.resize(static_cast<size_t>(*std::max_element(part.begin(), part.end())) + 1);
    for (int64_t v = 0; v < data.nodes(); ++v) parts_[part[v]].push_back(static_cast<int32_t>(v));
    std::erase_if(parts_, [](const std::vector<int32_t>& nodes) { return nodes.empty(); });
  }

  static std::string hint(const LoaderOptions&, bool instead_of_full, const Fits&) {
    return instead_of_full ? "try --loader cluster, or raise --memory"
                           : "lower --parts-per-batch, or raise --parts";
  }
  static LoaderCost cost(GraphSize graph, const LoaderOptions& options, int64_t /*layers*/) {
    const auto n = static_cast<double>(graph.nodes);
    const auto parts =
        static_cast<double>(options.parts > 0 ? options.parts : usual_parts(graph.nodes));
    const double share = std::min(1.0, static_cast<double>(options.parts_per_batch) / parts);
    return {.batch_nodes = n * share, .batch_edges = static_cast<double>(graph.edges) * share};
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
    sample.targets = targets_.targets_first(sample.nodes);
    const Csr graph = induced_subgraph(data().graph, sample.nodes, workspace.subgraph);
    sample.layers.push_back(
        {as_matrix(graph), normalization(graph, norm_), data().graph.symmetric});
    return sample;
  }

  Norm norm_;
  Random random_;
  TargetSet targets_;
  int64_t per_batch_;
  std::vector<std::vector<int32_t>> parts_;  // none is empty
};

template LoaderMaker loader_maker<ClusterLoader>();

}  // namespace gs
