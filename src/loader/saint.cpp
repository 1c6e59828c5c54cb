// Random subgraphs (GraphSAINT, Zeng et al. 2020). How often nodes and entries are drawn is counted
// on subgraphs made in advance: C_v counts those with node v, C_vu those with the entry (v, u).
//
// Aggregation: the weight of entry (v, u) is multiplied by C_v / C_vu, under the whole graph's
// normalization. Given that v was drawn, its sum then has the full sum as its expectation, up to
// the error of the counts. The loop that gcn adds is present whenever v is: weight 1.
//
// Loss: target v has weight c / C_v, with c the mean of C_v over all targets. The expected sum of
// the weights in a batch is then the expected number of its targets (a mean weight of one), and
// every target counts alike over many batches. A count of zero is taken as one.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "dataset/gather.h"
#include "graph/local_ids.h"
#include "loader/maker.h"
#include "loader/saint_nodes.h"
#include "loader/subgraph_batch.h"

namespace gs {

namespace {

constexpr int64_t kRound = 32;  // subgraphs that are counted together

void count_one(uint32_t& count) { std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed); }

}  // namespace

class SaintLoader final : public Loader {
 public:
  SaintLoader(const Dataset& data, const LoaderOptions& options, const LoaderContext& context)
      : Loader(data),
        random_(context.random.fork("saint")),
        targets_(data.nodes(), context.target_nodes),
        whole_(normalization(data.graph, context.norm)),
        sampler_(data.graph, whole_, options),
        subgraphs_(options.subgraphs),
        node_counts_(static_cast<size_t>(data.nodes())),
        entry_counts_(static_cast<size_t>(data.graph.edges())) {
    count(options.coverage * data.nodes(), context);
    const double nodes_seen = mean_nodes_ * static_cast<double>(subgraphs_);
    const auto enough = std::llround(static_cast<double>(data.nodes()) / nodes_seen);
    batches_ = options.steps > 0 ? options.steps : std::max<int64_t>(1, enough);
  }

  static std::string hint(const LoaderOptions&, bool instead_of_full, const Fits&) {
    return instead_of_full ? "try --loader saint, or raise --memory"
                           : "lower --roots or --subgraphs, or raise --memory";
  }
  static LoaderCost cost(GraphSize graph, const LoaderOptions& options, int64_t /*layers*/) {
    const auto n = static_cast<double>(graph.nodes);
    const int64_t draws = options.saint_sampler == SaintSampler::walk   ? 1 + options.walk_length
                          : options.saint_sampler == SaintSampler::edge ? 2
                                                                        : 1;
    const double found = std::min(n, static_cast<double>(options.roots * draws));
    const auto subgraphs = static_cast<double>(options.subgraphs);
    // Four bytes count how often each entry was drawn; drawing by edges reads the reverse graph.
    return {.batch_nodes = subgraphs * found,
            .batch_edges = subgraphs * static_cast<double>(graph.edges) * found / n,
            .bytes_per_edge = options.saint_sampler == SaintSampler::edge ? 8.0 : 4.0};
  }

  int64_t batches() const override { return batches_; }

 private:
  // One subgraph.
  struct Block {
    std::vector<int32_t> nodes;
    int64_t targets = 0;
    Csr graph;
    std::vector<float> values;
  };

  // Draws subgraphs until they have `wanted` nodes in all. Counts are integers, and the subgraphs
  // to count are decided in order: the result does not depend on the number of threads.
  void count(int64_t wanted, const LoaderContext& context) {
    context.progress->start("counting subgraphs", wanted, "nodes");
    const int64_t workers = threads();
    std::vector<LoaderWorkspace> workspaces(static_cast<size_t>(workers));
    const auto for_each = [&](int64_t count, const auto& body) {
      parallel_for(workers, 1, [&](int64_t begin, int64_t end) {
        for (int64_t w = begin; w < end; ++w)
          for (int64_t i = w; i < count; i += workers) body(i, workspaces[w].subgraph);
      });
    };
    int64_t nodes = 0, drawn = 0;
    while (nodes < wanted) {
      if (context.stop && *context.stop)
        throw Error(ErrorKind::interrupted, "stopped while counting subgraphs", "",
                    "run the command again");
      const int64_t before = nodes;
      std::vector<std::vector<int32_t>> round(kRound);
      for_each(kRound, [&](int64_t i, SubgraphWorkspace& workspace) {
        round[i] = sampler_.draw(random_.fork("count", drawn + i), workspace);
      });
      int64_t used = 0;
      for (; used < kRound && nodes < wanted; ++used) nodes += std::ssize(round[used]);
      for_each(used, [&](int64_t i, SubgraphWorkspace& workspace) {
        count_subgraph(round[i], workspace);
      });
      drawn += used;
      context.progress->advance(nodes - before);
    }
    context.progress->finish();
    mean_nodes_ = static_cast<double>(nodes) / static_cast<double>(drawn);
    int64_t targets = 0;
    for (int64_t v = 0; v < data().nodes(); ++v)
      if (targets_.has(static_cast<int32_t>(v))) targets += node_counts_[v];
    mean_count_ = static_cast<double>(targets) / static_cast<double>(targets_.size());
  }

  void count_subgraph(std::span<const int32_t> nodes, SubgraphWorkspace& workspace) {
    const Csr& graph = data().graph;
    LocalIds inside(graph.nodes(), workspace.local);
    for (const int32_t v : nodes) inside.add(v);
    for (const int32_t v : nodes) {
      count_one(node_counts_[v]);
      for (int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e)
        if (inside[graph.neighbors[e]] != LocalIds::kOutside) count_one(entry_counts_[e]);
    }
  }

  double node_count(int32_t v) const { return std::max<uint32_t>(1, node_counts_[v]); }

  Block draw_block(Random random, LoaderWorkspace& workspace) const {
    Block block;
    block.nodes = sampler_.draw(random, workspace.subgraph);
    block.targets = targets_.targets_first(block.nodes);
    std::vector<int64_t> positions;
    block.graph = induced_subgraph(data().graph, block.nodes, workspace.subgraph, &positions);
    block.values.resize(positions.size());
    for (int64_t i = 0; i < block.graph.nodes(); ++i)
      for (int64_t e = block.graph.offsets[i]; e < block.graph.offsets[i + 1]; ++e) {
        const double together = std::max<uint32_t>(1, entry_counts_[positions[e]]);
        const double own = block.graph.weighted() ? block.graph.weights[e] : 1;
        block.values[e] = static_cast<float>(own * node_count(block.nodes[i]) / together);
      }
    return block;
  }

  // Subgraph s of an epoch does not depend on the number of subgraphs per batch.
  Sample draw(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const override {
    std::vector<Block> blocks;
    for (int64_t s = index * subgraphs_; s < (index + 1) * subgraphs_; ++s)
      blocks.push_back(draw_block(random_.fork("subgraph", epoch, s), workspace));
    Sample sample = join(blocks);
    LayerGraph& layer = sample.layers[0];
    layer.scales = {gather(whole_.row_scale, sample.nodes), gather(whole_.col_scale, sample.nodes),
                    gather(whole_.self_weight, sample.nodes)};
    std::vector<float> weights(static_cast<size_t>(sample.targets));
    for (int64_t i = 0; i < sample.targets; ++i)
      weights[i] = static_cast<float>(mean_count_ / node_count(sample.nodes[i]));
    sample.weights = std::move(weights);
    return sample;
  }

  // The blocks along a diagonal, except that the targets of all blocks come first.
  static Sample join(const std::vector<Block>& blocks) {
    Sample sample;
    for (const Block& block : blocks) sample.targets += block.targets;
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> indices;
    std::vector<float> values;
    for (const bool targets : {true, false}) {
      int64_t target_base = 0, rest_base = sample.targets;
      for (const Block& block : blocks) {
        const auto count = std::ssize(block.nodes);
        for (int64_t i = targets ? 0 : block.targets; i < (targets ? block.targets : count); ++i) {
          sample.nodes.push_back(block.nodes[i]);
          for (int64_t e = block.graph.offsets[i]; e < block.graph.offsets[i + 1]; ++e) {
            const int32_t j = block.graph.neighbors[e];
            const int64_t id = j < block.targets ? target_base + j : rest_base + j - block.targets;
            indices.push_back(static_cast<int32_t>(id));
            values.push_back(block.values[e]);
          }
          offsets.push_back(std::ssize(indices));
        }
        target_base += block.targets;
        rest_base += count - block.targets;
      }
    }
    const auto nodes = std::ssize(sample.nodes);
    sample.layers.push_back(
        {{nodes, nodes, std::move(offsets), std::move(indices), std::move(values)}, {}});
    return sample;
  }

  Random random_;
  TargetSet targets_;
  Normalization whole_;  // scales of the whole graph
  SaintNodes sampler_;
  int64_t subgraphs_, batches_ = 1;
  std::vector<uint32_t> node_counts_, entry_counts_;
  double mean_nodes_ = 0, mean_count_ = 0;  // means of a subgraph's nodes, and of a target's C_v
};

template LoaderMaker loader_maker<SaintLoader>();

}  // namespace gs
