// Parts of a partition, a few drawn for each batch, with all edges between them (Cluster-GCN,
// Chiang et al. 2019). A batch is normalized as a graph of its own. The partition does not depend
// on the seed, so that every run finds it in the cache.
#include <algorithm>
#include <numeric>

#include "graph/partition.h"
#include "loader/maker.h"
#include "loader/order.h"
#include "loader/subgraph_batch.h"

namespace gs {

namespace {

constexpr uint64_t kPartitionSeed = 0;

using Parts = std::vector<std::vector<int32_t>>;

// The nodes of each part, ascending.
Parts parts_of(const Csr& graph, int64_t wanted, const std::filesystem::path& cache) {
  const std::vector<int32_t> part = partition(graph, wanted, kPartitionSeed, cache);
  Parts out(static_cast<size_t>(wanted));
  for (int64_t v = 0; v < graph.nodes(); ++v) out[part[v]].push_back(static_cast<int32_t>(v));
  return out;
}

// Nodes that are partitioned by themselves: a shard, or the whole graph.
struct Region {
  Random random;  // of the order of its parts
  int64_t first;  // its first node
  Parts parts;
};

// The graph `next` after those before, without edges between them.
struct Blocks {
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> neighbors;
  std::vector<float> weights;

  void append(const Csr& next) {
    const auto first = static_cast<int32_t>(std::ssize(offsets) - 1);
    const int64_t before = offsets.back();
    for (int64_t v = 1; v <= next.nodes(); ++v) offsets.push_back(before + next.offsets[v]);
    for (const int32_t u : next.neighbors) neighbors.push_back(first + u);
    weights.insert(weights.end(), next.weights.begin(), next.weights.end());
  }
  Csr graph(bool symmetric) && {
    return {std::move(offsets), std::move(neighbors), std::move(weights), symmetric};
  }
};

}  // namespace

class ClusterLoader final : public Loader {
 public:
  ClusterLoader(const Dataset& data, const LoaderOptions& options, const LoaderContext& context)
      : Loader(data),
        norm_(context.norm),
        random_(context.random.fork("cluster")),
        targets_(data.nodes(), context.target_nodes),
        shard_(context.shard) {
    const int64_t nodes = context.index ? context.index->nodes : data.nodes();
    const int64_t parts = options.parts > 0 ? options.parts : usual_parts(nodes);
    const int64_t regions = context.index ? context.index->size() : 1;
    const int64_t each = (parts + regions - 1) / regions;
    per_region_ = std::max<int64_t>(1, options.parts_per_batch / regions);
    if (!shard_) {
      regions_.push_back({random_, 0, parts_of(data.graph, each, context.cache)});
      std::erase_if(regions_[0].parts, [](const auto& nodes) { return nodes.empty(); });
      count_ = std::ssize(regions_[0].parts);
      return;
    }
    // Every shard has as many parts, though some may be empty.
    count_ = each;
    SubgraphWorkspace workspace;
    for (int64_t s = shard_->first; s < shard_->last; ++s) {
      const int64_t first = context.index->offsets[s] - shard_->begin;
      std::vector<int32_t> own(static_cast<size_t>(context.index->shards[s].nodes));
      std::iota(own.begin(), own.end(), static_cast<int32_t>(first));
      regions_.push_back(
          {random_.fork("shard", s), first,
           parts_of(induced_subgraph(data.graph, own, workspace), each, context.cache)});
    }
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

  int64_t batches() const override { return (count_ + per_region_ - 1) / per_region_; }

 private:
  Sample draw(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const override {
    const int64_t begin = index * per_region_, end = std::min(count_, begin + per_region_);
    Sample sample;
    Blocks blocks;
    for (const Region& region : regions_) {
      const auto order = epoch_order(region.random, epoch, count_, workspace);
      std::vector<int32_t> nodes;
      for (int64_t i = begin; i < end; ++i)
        for (const int32_t v : region.parts[order[i]])
          nodes.push_back(static_cast<int32_t>(region.first + v));
      sample.targets += targets_.targets_first(nodes);
      blocks.append(induced_subgraph(data().graph, nodes, workspace.subgraph));
      sample.nodes.insert(sample.nodes.end(), nodes.begin(), nodes.end());
    }
    const Csr graph = std::move(blocks).graph(data().graph.symmetric);
    sample.layers.push_back({as_matrix(graph), normalization(graph, norm_), graph.symmetric});
    if (shard_) {
      std::vector<int64_t> numbers;
      for (const int32_t v : sample.nodes) numbers.push_back(shard_->old_ids[v]);
      sample.numbers = std::move(numbers);
    }
    return sample;
  }

  Norm norm_;
  Random random_;
  TargetSet targets_;
  const Shard* shard_;
  int64_t count_ = 0;       // parts of each region
  int64_t per_region_ = 1;  // of them in a batch
  std::vector<Region> regions_;
};

template LoaderMaker loader_maker<ClusterLoader>();

}  // namespace gs
