// Batches of seeds with a sample of their neighbourhoods, hop by hop (GraphSAGE). A layer's sum
// over sampled neighbours has the full sum as its expectation: scales are those of the whole graph,
// and a row's scale takes its factor degree / sampled.
#include <algorithm>
#include <numeric>

#include "dataset/gather.h"
#include "graph/sampling.h"
#include "loader/order.h"
#include "loader/table.h"

namespace gs {

namespace {

class NeighborLoader : public Loader {
 public:
  NeighborLoader(const Dataset& data, const LoaderOptions& options, const LoaderContext& context)
      : Loader(data),
        seeds_(context.seed_nodes.begin(), context.seed_nodes.end()),
        batch_size_(options.batch_size),
        fanouts_(options.fanouts_of(context.layers)),
        how_(options.neighbor_sampling == NeighborSampling::weight ? Neighbors::weight
                                                                   : Neighbors::uniform),
        random_(context.random.fork("neighbor")),
        whole_(normalization(data.graph, context.norm)) {
    if (seeds_.empty()) {
      seeds_.resize(static_cast<size_t>(data.nodes()));
      std::iota(seeds_.begin(), seeds_.end(), 0);
    }
  }

  int64_t batches() const override {
    return (static_cast<int64_t>(seeds_.size()) + batch_size_ - 1) / batch_size_;
  }

 private:
  Sample draw(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const override {
    const auto count = static_cast<int64_t>(seeds_.size());
    const auto order = epoch_order(random_, epoch, count, workspace);
    const int64_t begin = index * batch_size_, end = std::min(count, begin + batch_size_);
    std::vector<int32_t> seeds(order.begin() + begin, order.begin() + end);
    for (int32_t& seed : seeds) seed = seeds_[seed];

    NeighborSampler sampler(data().graph, seeds, workspace.sampling);
    const Random stream = random_.fork("batch", epoch, index);
    Sample sample;
    sample.seeds = end - begin;
    sample.layers.resize(fanouts_.size());
    for (size_t hop = 0; hop < fanouts_.size(); ++hop) {
      SampledRows rows = sampler.hop(fanouts_[hop], how_, stream.fork("hop", hop));
      sample.layers[fanouts_.size() - 1 - hop] = layer_graph(std::move(rows), sampler.nodes());
    }
    sample.nodes = sampler.take_nodes();
    return sample;
  }

  LayerGraph layer_graph(SampledRows rows, const std::vector<int32_t>& nodes) const {
    const int64_t targets = rows.offsets.size() - 1;
    const auto target_nodes = std::span(nodes).first(static_cast<size_t>(targets));
    LayerGraph out;
    out.scales.col_scale = gather(whole_.col_scale, nodes);
    if (rows.factors.empty()) {
      out.scales.row_scale = gather(whole_.row_scale, target_nodes);
      out.scales.self_weight = gather(whole_.self_weight, target_nodes);
    } else {
      out.scales.row_scale = rows.factors;
      if (!whole_.row_scale.empty()) {
        std::vector<float> scale(rows.factors.begin(), rows.factors.end());
        for (int64_t i = 0; i < targets; ++i) scale[i] *= whole_.row_scale[nodes[i]];
        out.scales.row_scale = std::move(scale);
      }
      if (!whole_.self_weight.empty()) {  // it is no sample: the factor must not count
        std::vector<float> self(static_cast<size_t>(targets));
        for (int64_t i = 0; i < targets; ++i)
          self[i] = whole_.self_weight[nodes[i]] / rows.factors[i];
        out.scales.self_weight = std::move(self);
      }
    }
    out.matrix = {targets, static_cast<int64_t>(nodes.size()), std::move(rows.offsets),
                  std::move(rows.neighbors), std::move(rows.weights)};
    return out;
  }

  std::vector<int32_t> seeds_;
  int64_t batch_size_;
  std::vector<int64_t> fanouts_;
  Neighbors how_;
  Random random_;
  Normalization whole_;  // of the whole graph
};

}  // namespace

std::unique_ptr<Loader> make_neighbor(const Dataset& data, const LoaderOptions& options,
                                      const LoaderContext& context) {
  return std::make_unique<NeighborLoader>(data, options, context);
}

}  // namespace gs
