// Batches of target nodes with a sample of their neighborhoods, hop by hop (GraphSAGE). A layer's
// sum over sampled neighbors has the full sum as its expectation: scales are those of the whole
// graph, and each row's scale is multiplied by degree / sampled.
#include <algorithm>
#include <numeric>

#include "graph/sampling.h"
#include "loader/maker.h"
#include "loader/neighbor_shards.h"
#include "loader/order.h"

namespace gs {

class NeighborLoader final : public Loader {
 public:
  NeighborLoader(const Dataset& data, const LoaderOptions& options, const LoaderContext& context)
      : Loader(data),
        targets_(context.target_nodes.begin(), context.target_nodes.end()),
        batch_size_(options.batch_size),
        fanouts_(options.fanouts_of(context.layers)),
        how_(options.neighbor_sampling == NeighborSampling::weight ? Neighbors::weight
                                                                   : Neighbors::uniform),
        random_(context.random.fork("neighbor")),
        whole_(normalization(data.graph, context.norm)) {
    if (targets_.empty()) {
      targets_.resize(static_cast<size_t>(data.nodes()));
      std::iota(targets_.begin(), targets_.end(), 0);
    }
  }

  static std::string hint(const LoaderOptions& options, bool instead_of_full, const Fits& fits) {
    LoaderOptions tried = options;
    if (instead_of_full) tried.batch_size = 4096;
    while (tried.batch_size > 16 && !fits(tried)) tried.batch_size /= 2;
    if (!fits(tried)) return "raise --memory, or lower --fanouts, --aug-dim or --prefetch";
    return fmt::format("try --loader neighbor --batch-size {}, or raise --memory",
                       tried.batch_size);
  }
  static LoaderCost cost(GraphSize graph, const LoaderOptions& options, int64_t layers) {
    const auto n = static_cast<double>(graph.nodes);
    const double degree = static_cast<double>(graph.edges) / n;
    double found = std::min(n, static_cast<double>(options.batch_size));
    for (const int64_t fanout : options.fanouts_of(layers))
      found *= 1 + (fanout < 0 ? degree : std::min(degree, static_cast<double>(fanout)));
    return {.batch_nodes = std::min(n, found), .batch_edges = found};
  }

  int64_t batches() const override {
    return (static_cast<int64_t>(targets_.size()) + batch_size_ - 1) / batch_size_;
  }

 private:
  Sample draw(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const override {
    const auto count = static_cast<int64_t>(targets_.size());
    const auto order = epoch_order(random_, epoch, count, workspace);
    const int64_t begin = index * batch_size_, end = std::min(count, begin + batch_size_);
    std::vector<int32_t> targets(order.begin() + begin, order.begin() + end);
    for (int32_t& target : targets) target = targets_[target];

    NeighborSampler sampler(data().graph, targets, workspace.sampling);
    const Random stream = random_.fork("batch", epoch, index);
    Sample sample;
    sample.targets = end - begin;
    sample.layers.resize(fanouts_.size());
    for (size_t hop = 0; hop < fanouts_.size(); ++hop) {
      SampledRows rows = sampler.hop(fanouts_[hop], how_, stream.fork("hop", hop));
      sample.layers[fanouts_.size() - 1 - hop] =
          sampled_layer(std::move(rows), sampler.nodes(), whole_);
    }
    sample.nodes = sampler.take_nodes();
    sample.numbers = std::vector<int64_t>(sample.nodes.begin(), sample.nodes.end());
    return sample;
  }

  std::vector<int32_t> targets_;
  int64_t batch_size_;
  std::vector<int64_t> fanouts_;
  Neighbors how_;
  Random random_;
  Normalization whole_;  // scales of the whole graph
};

template <>
LoaderMaker loader_maker<NeighborLoader>() {
  return {[](const Dataset& data, const LoaderOptions& options,
             const LoaderContext& context) -> std::unique_ptr<Loader> {
            if (context.shard) return neighbors_of_shards(data, options, context);
            return std::make_unique<NeighborLoader>(data, options, context);
          },
          NeighborLoader::cost, NeighborLoader::hint};
}

}  // namespace gs
