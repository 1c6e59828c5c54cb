// Neighboring shards as one. Shards are opened one after another, so that there is never more than
// the result and one of them.
#include <algorithm>

#include "base/error.h"
#include "base/npy.h"
#include "base/parallel.h"
#include "dataset/folder/description.h"
#include "dataset/gather.h"
#include "dataset/shards/layout.h"

namespace gs {

namespace {

// Local nodes of one shard that the result takes from it, and where they go: a node of the halo
// comes from the first shard that has it.
struct Taken {
  std::vector<int32_t> from;
  std::vector<int64_t> to;
};

class Merge {
 public:
  Merge(const ShardIndex& index, int64_t first, int64_t last) : index_(index) {
    out_.first = first, out_.last = last;
    out_.begin = index.offsets[first];
    out_.own = index.offsets[last] - out_.begin;
    std::vector<int64_t> halo;
    for (int64_t s = first; s < last; ++s) {
      const Array<int64_t> ids = read_halo(index, s);
      std::ranges::copy_if(ids, std::back_inserter(halo), [&](int64_t id) { return !is_own(id); });
      std::ranges::sort(halo);
      halo.erase(std::unique(halo.begin(), halo.end()), halo.end());
      edges_ += index.shards[s].edges;
    }
    if (out_.own > INT32_MAX || std::ssize(halo) > INT32_MAX - out_.own)
      fail_data(index.folder.string(),
                fmt::format("shards {} to {} have {} nodes and a halo of {}", first, last - 1,
                            out_.own, halo.size()),
                "open fewer shards in one process");
    out_.halo = std::move(halo);
    const auto nodes = static_cast<size_t>(out_.nodes());
    old_ids_.resize(nodes), degrees_.resize(nodes * kDegreeColumns), seen_.resize(nodes);
    offsets_.reserve(static_cast<size_t>(out_.own) + 1);
    entries_.reserve(static_cast<size_t>(edges_));
    if (index.weighted) weights_.reserve(static_cast<size_t>(edges_));
    sends_.resize(static_cast<size_t>(index.size()));
  }

  void add(const Shard& shard) {
    const Taken taken = take(shard);
    add_rows(shard);
    add_features(shard.data.features, taken);
    add_labels(shard);
    add_splits(shard);
    if (!shard.data.node_ids.empty()) out_.data.node_ids.resize(old_ids_.size());
    for (size_t i = 0; i < taken.from.size(); ++i) {
      const int64_t from = taken.from[i], to = taken.to[i];
      old_ids_[to] = shard.old_ids[from];
      std::copy_n(shard.degrees.data() + from * kDegreeColumns, kDegreeColumns,
                  degrees_.begin() + to * kDegreeColumns);
      if (!shard.data.node_ids.empty()) out_.data.node_ids[to] = shard.data.node_ids[from];
    }
    const int64_t shift = shard.begin - out_.begin;
    for (int64_t t = 0; t < index_.size(); ++t) {
      if (t >= out_.first && t < out_.last) continue;
      for (const int32_t v : shard.send.slice(shard.send_offsets[t], shard.send_offsets[t + 1]))
        sends_[t].push_back(static_cast<int32_t>(v + shift));
    }
    if (shard.first == out_.first) {  // what is the same in every shard
      const Dataset& from = shard.data;
      Dataset& to = out_.data;
      to.name = from.name, to.format = from.format, to.treatment = from.treatment;
      to.feature_names = from.feature_names, to.class_names = from.class_names;
      to.feature_treatment = from.feature_treatment;
    }
  }

  Shard finish() {
    finish_graph();
    finish_features();
    Labels& labels = out_.data.labels;
    labels.task = index_.task, labels.classes = index_.classes;
    if (index_.task == Task::multilabel) {
      multi_.resize(static_cast<size_t>(out_.nodes() * index_.classes), Labels::kUnknown);
      labels.multi = std::move(multi_);
    } else if (index_.task != Task::none) {
      single_.resize(static_cast<size_t>(out_.nodes()), -1);
      labels.single = std::move(single_);
    }
    out_.halo_offsets = halo_offsets(index_, out_.halo);
    out_.old_ids = std::move(old_ids_);
    out_.degrees = std::move(degrees_);
    std::vector<int64_t> send_offsets{0};
    std::vector<int32_t> send;
    for (const auto& list : sends_) {
      send.insert(send.end(), list.begin(), list.end());
      send_offsets.push_back(std::ssize(send));
    }
    out_.send_offsets = std::move(send_offsets);
    out_.send = std::move(send);
    return std::move(out_);
  }

 private:
  bool is_own(int64_t id) const { return id >= out_.begin && id < out_.begin + out_.own; }

  // A shard's local node in the result. Every node of its halo is there.
  int64_t place(const Shard& shard, int64_t local) const {
    const int64_t found = out_.local(shard.global(local));
    GS_ASSERT(found >= 0);
    return found;
  }

  Taken take(const Shard& shard) {
    Taken taken;
    for (int64_t v = 0; v < shard.nodes(); ++v) {
      const int64_t to = place(shard, v);
      if (v >= shard.own && (to < out_.own || seen_[to])) continue;
      seen_[to] = 1;
      taken.from.push_back(static_cast<int32_t>(v));
      taken.to.push_back(to);
    }
    return taken;
  }

  // Rows of global ids: they are sorted and made local once all are here.
  void add_rows(const Shard& shard) {
    const Csr& graph = shard.data.graph;
    for (int64_t v = 0; v < shard.own; ++v)
      offsets_.push_back(std::ssize(entries_) + graph.offsets[v]);
    const int64_t before = std::ssize(entries_);
    entries_.resize(static_cast<size_t>(before + graph.edges()));
    parallel_for(graph.edges(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t e = begin; e < end; ++e) entries_[before + e] = shard.global(graph.neighbors[e]);
    });
    weights_.insert(weights_.end(), graph.weights.begin(), graph.weights.end());
  }

  void finish_graph() {
    offsets_.push_back(std::ssize(entries_));
    LocalGraph local =
        localize(std::move(offsets_), entries_, weights_, out_.begin, index_.folder.string());
    GS_ASSERT(std::ranges::equal(local.halo, out_.halo));
    local.graph.symmetric = index_.symmetric && local.halo.empty();
    out_.data.graph = std::move(local.graph);
    out_.data.raw_edges = edges_;
  }

  void add_features(const Features& features, const Taken& taken) {
    if (features.width() == 0) return;
    if (!features.sparse()) {
      const DenseMatrix& m = features.dense_matrix();
      dense_.resize(static_cast<size_t>(out_.nodes() * m.columns));
      parallel_for(std::ssize(taken.from), kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          std::ranges::copy(m.row(taken.from[i]), dense_.begin() + taken.to[i] * m.columns);
      });
      return;
    }
    // Own rows come in order; rows of the halo come at last, in theirs.
    const auto own = std::ranges::lower_bound(taken.to, out_.own) - taken.to.begin();
    append(sparse_, gather(features, std::span(taken.from).first(own)));
    append(sparse_halo_, gather(features, std::span(taken.from).subspan(own)));
    halo_rows_.insert(halo_rows_.end(), taken.to.begin() + own, taken.to.end());
  }

  struct SparseRows {
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> indices;
    std::vector<float> values;
  };
  static void append(SparseRows& to, const Features& rows) {
    const SparseMatrix& m = rows.sparse_matrix();
    const int64_t before = to.offsets.back();
    for (int64_t i = 0; i < m.rows; ++i) to.offsets.push_back(before + m.offsets[i + 1]);
    to.indices.insert(to.indices.end(), m.indices.begin(), m.indices.end());
    to.values.insert(to.values.end(), m.values.begin(), m.values.end());
  }

  void finish_features() {
    if (!index_.sparse_features) {
      out_.data.features = {DenseMatrix{out_.nodes(), index_.features, std::move(dense_)}};
      return;
    }
    std::vector<int32_t> order(
        halo_rows_.size());  // of the halo's rows, by the node they belong to
    for (size_t i = 0; i < order.size(); ++i)
      order[halo_rows_[i] - out_.own] = static_cast<int32_t>(i);
    const auto count = std::ssize(order);
    const Features halo{SparseMatrix{count, index_.features, std::move(sparse_halo_.offsets),
                                     std::move(sparse_halo_.indices),
                                     std::move(sparse_halo_.values)}};
    append(sparse_, gather(halo, order));
    if (!sparse_.values.empty() && sparse_.values.size() != sparse_.indices.size())
      fail_data(index_.folder.string(), "some shards have feature values and others do not",
                kDamagedFolder);
    out_.data.features = {SparseMatrix{out_.nodes(), index_.features, std::move(sparse_.offsets),
                                       std::move(sparse_.indices), std::move(sparse_.values)}};
  }

  void add_labels(const Shard& shard) {
    const Labels& labels = shard.data.labels;
    if (labels.task == Task::none) return;
    if (labels.task == Task::multilabel)
      multi_.insert(multi_.end(), labels.multi.begin(),
                    labels.multi.begin() + shard.own * labels.classes);
    else single_.insert(single_.end(), labels.single.begin(), labels.single.begin() + shard.own);
  }

  void add_splits(const Shard& shard) {
    auto& splits = out_.data.splits;
    splits.resize(shard.data.splits.size());
    const auto shift = static_cast<int32_t>(shard.begin - out_.begin);
    for (size_t k = 0; k < splits.size(); ++k) {
      const Split& from = shard.data.splits[k];
      for (const auto& [to, list] : {std::pair{&splits[k].train, &from.train},
                                     {&splits[k].val, &from.val},
                                     {&splits[k].test, &from.test}})
        for (const int32_t v : *list) to->push_back(v + shift);
    }
  }

  static constexpr int64_t kGrain = 1 << 13;

  const ShardIndex& index_;
  Shard out_;
  int64_t edges_ = 0;
  std::vector<int64_t> offsets_, entries_;
  std::vector<float> weights_;
  std::vector<int64_t> old_ids_;
  std::vector<double> degrees_;
  std::vector<uint8_t> seen_;  // whether a node's row is here
  std::vector<float> dense_;
  SparseRows sparse_, sparse_halo_;
  std::vector<int64_t> halo_rows_;
  std::vector<int32_t> single_;
  std::vector<uint8_t> multi_;
  std::vector<std::vector<int32_t>> sends_;
};

}  // namespace

Shard merge_shards(const ShardIndex& index, int64_t first, int64_t last) {
  Merge merge(index, first, last);
  for (int64_t s = first; s < last; ++s) merge.add(open_shard(index, s));
  return merge.finish();
}

}  // namespace gs
