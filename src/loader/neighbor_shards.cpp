#include "loader/neighbor_shards.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "base/error.h"
#include "base/parallel.h"
#include "dataset/gather.h"
#include "loader/order.h"

namespace gs {

LayerGraph sampled_layer(SampledRows rows, std::span<const int32_t> nodes,
                         const Normalization& whole) {
  const int64_t targets = rows.offsets.size() - 1;
  const auto target_nodes = nodes.first(static_cast<size_t>(targets));
  LayerGraph out;
  out.scales.col_scale = gather(whole.col_scale, nodes);
  if (rows.factors.empty()) {
    out.scales.row_scale = gather(whole.row_scale, target_nodes);
    out.scales.self_weight = gather(whole.self_weight, target_nodes);
  } else {
    out.scales.row_scale = rows.factors;
    if (!whole.row_scale.empty()) {
      std::vector<float> scale(rows.factors.begin(), rows.factors.end());
      for (int64_t i = 0; i < targets; ++i) scale[i] *= whole.row_scale[nodes[i]];
      out.scales.row_scale = std::move(scale);
    }
    if (!whole.self_weight.empty()) {  // the added loop is not sampled: it takes no factor
      std::vector<float> self(static_cast<size_t>(targets));
      for (int64_t i = 0; i < targets; ++i) self[i] = whole.self_weight[nodes[i]] / rows.factors[i];
      out.scales.self_weight = std::move(self);
    }
  }
  out.matrix = {targets, static_cast<int64_t>(nodes.size()), std::move(rows.offsets),
                std::move(rows.neighbors), std::move(rows.weights)};
  return out;
}

namespace {

// Values one after another, as bytes.
class Message {
 public:
  template <class T>
  void put(std::span<const T> values) {
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  template <class T>
  void put(T value) {
    put(std::span<const T>(&value, 1));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reading {
 public:
  explicit Reading(const std::string& bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T value;
    get(&value, 1);
    return value;
  }
  template <class T>
  void get(T* values, int64_t count) {
    const size_t size = static_cast<size_t>(count) * sizeof(T);
    GS_ASSERT(count >= 0 && size <= bytes_.size() - at_);
    if (size > 0) std::memcpy(values, bytes_.data() + at_, size);
    at_ += size;
  }
  int64_t left() const { return static_cast<int64_t>(bytes_.size() - at_); }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

// The nodes of a batch by global id, in the order in which they are found.
struct Found {
  std::vector<int64_t> nodes;
  std::unordered_map<int64_t, int32_t> places;

  int32_t place(int64_t global) {
    const auto [at, added] = places.try_emplace(global, static_cast<int32_t>(nodes.size()));
    if (added) nodes.push_back(global);
    return at->second;
  }
};

// The own rows with their entries by the numbers of the nodes before sharding, the order in which
// the unsharded graph has them: a draw is of a place in a row.
Csr rows_by_number(const Shard& shard) {
  const Csr& graph = shard.data.graph;
  std::vector<int32_t> neighbors(graph.neighbors.begin(), graph.neighbors.end());
  std::vector<float> weights(graph.weights.begin(), graph.weights.end());
  parallel_for_weighted(graph.offsets.span(), 1024, [&](int64_t first, int64_t last) {
    std::vector<int64_t> order;
    for (int64_t v = first; v < last; ++v) {
      const int64_t begin = graph.offsets[v], end = graph.offsets[v + 1];
      order.resize(static_cast<size_t>(end - begin));
      std::iota(order.begin(), order.end(), begin);
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return shard.old_ids[graph.neighbors[a]] < shard.old_ids[graph.neighbors[b]];
      });
      for (int64_t e = begin; e < end; ++e) {
        const int64_t from = order[static_cast<size_t>(e - begin)];
        neighbors[e] = graph.neighbors[from];
        if (graph.weighted()) weights[e] = graph.weights[from];
      }
    }
  });
  return {graph.offsets, std::move(neighbors), std::move(weights), false};
}

class ShardNeighbors final : public Loader {
 public:
  ShardNeighbors(const Dataset& data, const LoaderOptions& options, const LoaderContext& context)
      : Loader(data),
        index_(*context.index),
        shard_(*context.shard),
        batch_size_(options.batch_size),
        fanouts_(options.fanouts_of(context.layers)),
        by_weight_(index_.weighted && options.neighbor_sampling == NeighborSampling::weight),
        random_(context.random.fork("neighbor")),
        graph_(rows_by_number(shard_)),
        whole_(normalization(shard_, context.norm)),
        new_ids_(new_ids(index_)),
        exchange_(context.exchange) {
    if (index_.nodes > std::numeric_limits<int32_t>::max())
      fail_usage("--loader", "neighbor orders at most 2^31 nodes", "use --loader cluster");
    for (const int64_t shard : context.first_shard)
      first_node_.push_back(index_.offsets[static_cast<size_t>(shard)]);
  }

  bool collective() const override { return true; }
  int64_t batches() const override { return (index_.nodes + batch_size_ - 1) / batch_size_; }

 private:
  Sample draw(int64_t epoch, int64_t index, LoaderWorkspace& workspace) const override {
    const auto order = epoch_order(random_, epoch, index_.nodes, workspace);
    const int64_t begin = index * batch_size_, end = std::min(index_.nodes, begin + batch_size_);
    Found found;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t global = new_ids_[order[i]];
      if (global >= shard_.begin && global < shard_.begin + shard_.own) found.place(global);
    }
    const Random stream = random_.fork("batch", epoch, index);
    Sample sample;
    sample.targets = std::ssize(found.nodes);
    std::vector<SampledRows> hops;
    std::vector<int64_t> sizes;
    for (size_t hop = 0; hop < fanouts_.size(); ++hop) {
      hops.push_back(draw_rows(found, fanouts_[hop], stream.fork("hop", hop), workspace));
      sizes.push_back(std::ssize(found.nodes));
    }
    const Normalization scales = fetch(found.nodes, sample);
    std::vector<int32_t> places(found.nodes.size());
    std::iota(places.begin(), places.end(), 0);
    for (size_t hop = hops.size(); hop-- > 0;)
      sample.layers.push_back(sampled_layer(
          std::move(hops[hop]), std::span(places).first(static_cast<size_t>(sizes[hop])), scales));
    return sample;
  }

  size_t rank_of(int64_t global) const {
    return static_cast<size_t>(std::upper_bound(first_node_.begin(), first_node_.end(), global) -
                               first_node_.begin() - 1);
  }

  // Asks the owner of each node and returns the answers, which `read` takes in the order of
  // `nodes`.
  template <class Answer, class Read>
  void ask(const std::vector<int64_t>& nodes, const Answer& answer, const Read& read) const {
    std::vector<Message> questions(first_node_.size() - 1);
    for (const int64_t global : nodes) questions[rank_of(global)].put(global);
    std::vector<std::string> sent;
    for (const Message& message : questions) sent.push_back(message.bytes());
    std::vector<std::string> answers;
    for (const std::string& asked : exchange_(sent)) {
      std::vector<int32_t> rows;
      for (Reading reading(asked); reading.left() > 0;) {
        const int64_t local = reading.get<int64_t>() - shard_.begin;
        GS_ASSERT(local >= 0 && local < shard_.own);
        rows.push_back(static_cast<int32_t>(local));
      }
      Message reply;
      answer(rows, reply);
      answers.push_back(reply.bytes());
    }
    const std::vector<std::string> replies = exchange_(answers);
    std::vector<Reading> readings(replies.begin(), replies.end());
    for (const int64_t global : nodes) read(readings[rank_of(global)]);
  }

  // A row for every node found so far; its sources count as found then.
  SampledRows draw_rows(Found& found, int64_t fanout, const Random& random,
                        LoaderWorkspace& workspace) const {
    const auto how = by_weight_ ? Neighbors::weight : Neighbors::uniform;
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> neighbors;
    std::vector<float> weights, factors;
    std::vector<int64_t> sources;
    const auto answer = [&](const std::vector<int32_t>& asked, Message& reply) {
      NeighborSampler sampler(graph_, asked, workspace.sampling, shard_.old_ids.span());
      const SampledRows rows = sampler.hop(fanout, how, random);
      for (size_t i = 0; i < asked.size(); ++i) {
        const int64_t begin = rows.offsets[static_cast<int64_t>(i)],
                      end = rows.offsets[static_cast<int64_t>(i) + 1];
        reply.put(graph_.degree(asked[i]));
        reply.put(end - begin);
        for (int64_t e = begin; e < end; ++e)
          reply.put(shard_.global(sampler.nodes()[static_cast<size_t>(rows.neighbors[e])]));
        if (!rows.weights.empty()) reply.put(rows.weights.slice(begin, end));
      }
    };
    const std::vector<int64_t> asked = found.nodes;
    ask(asked, answer, [&](Reading& reading) {
      const auto degree = reading.get<int64_t>(), kept = reading.get<int64_t>();
      GS_ASSERT(kept <= degree);
      sources.resize(static_cast<size_t>(kept));
      reading.get(sources.data(), kept);
      for (const int64_t global : sources) {
        GS_ASSERT(global >= 0 && global < index_.nodes);
        neighbors.push_back(found.place(global));
      }
      if (index_.weighted) {
        weights.resize(weights.size() + static_cast<size_t>(kept));
        reading.get(weights.data() + offsets.back(), kept);
      }
      offsets.push_back(offsets.back() + kept);
      if (!by_weight_)
        factors.push_back(kept == degree ? 1
                                         : static_cast<float>(degree) / static_cast<float>(kept));
    });
    return {std::move(offsets), std::move(neighbors), std::move(weights), std::move(factors)};
  }

  // Features and numbers of the nodes, into the sample, and their scales.
  Normalization fetch(const std::vector<int64_t>& nodes, Sample& sample) const {
    const Features& features = data().features;
    const bool sparse = features.sparse();
    const int64_t width = features.width();
    const Array<float>* const scales[] = {&whole_.row_scale, &whole_.col_scale,
                                          &whole_.self_weight};
    const auto answer = [&](const std::vector<int32_t>& asked, Message& reply) {
      for (const int32_t v : asked) {
        reply.put(shard_.old_ids[v]);
        for (const auto* scale : scales)
          if (!scale->empty()) reply.put((*scale)[v]);
        if (!sparse) {
          reply.put(features.dense_matrix().row(v));
          continue;
        }
        const SparseMatrix& m = features.sparse_matrix();
        const int64_t begin = m.offsets[v], end = m.offsets[v + 1];
        reply.put(end - begin);
        reply.put(m.indices.slice(begin, end));
        if (!m.values.empty()) reply.put(m.values.slice(begin, end));
        else
          for (int64_t e = begin; e < end; ++e) reply.put(1.0f);
      }
    };
    std::vector<int64_t> numbers, offsets{0};
    std::vector<float> kept[3], values;
    std::vector<int32_t> indices;
    ask(nodes, answer, [&](Reading& reading) {
      numbers.push_back(reading.get<int64_t>());
      for (size_t i = 0; i < 3; ++i)
        if (!scales[i]->empty()) kept[i].push_back(reading.get<float>());
      const int64_t count = sparse ? reading.get<int64_t>() : width;
      GS_ASSERT(count >= 0 && count <= width);
      if (sparse) {
        indices.resize(indices.size() + static_cast<size_t>(count));
        reading.get(indices.data() + offsets.back(), count);
        for (int64_t e = offsets.back(); e < std::ssize(indices); ++e)
          GS_ASSERT(indices[static_cast<size_t>(e)] >= 0 &&
                    indices[static_cast<size_t>(e)] < width);
      }
      values.resize(values.size() + static_cast<size_t>(count));
      reading.get(values.data() + (std::ssize(values) - count), count);
      offsets.push_back(offsets.back() + count);
    });
    const auto rows = std::ssize(nodes);
    sample.numbers = std::move(numbers);
    if (sparse)
      sample.features = {
          SparseMatrix{rows, width, std::move(offsets), std::move(indices), std::move(values)}};
    else sample.features = {DenseMatrix{rows, width, std::move(values)}};
    return {std::move(kept[0]), std::move(kept[1]), std::move(kept[2])};
  }

  const ShardIndex& index_;
  const Shard& shard_;
  int64_t batch_size_;
  std::vector<int64_t> fanouts_;
  bool by_weight_;
  Random random_;
  Csr graph_;
  Normalization whole_;              // of the local nodes, by the whole graph
  Array<int64_t> new_ids_;           // global id by number
  std::vector<int64_t> first_node_;  // of each rank, and the end
  std::function<std::vector<std::string>(const std::vector<std::string>&)> exchange_;
};

}  // namespace

std::unique_ptr<Loader> neighbors_of_shards(const Dataset& data, const LoaderOptions& options,
                                            const LoaderContext& context) {
  return std::make_unique<ShardNeighbors>(data, options, context);
}

}  // namespace gs
