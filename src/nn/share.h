// The share of a graph that one rank computes on: all of it, or some neighboring shards of a
// sharded folder (dataset/shards/shards.h). What it refers to must outlive it.
#pragma once

#include "dataset/shards/shards.h"
#include "nn/ranks.h"

namespace gs {

struct Share {
  Share(const Dataset& whole) : data(whole) {}  // NOLINT(google-explicit-constructor)
  Share(const ShardIndex& index, const Shard& shard, const Ranks& ranks)
      : data(shard.data), ranks(ranks), index(&index), shard(&shard) {}

  const Dataset& data;  // own nodes first, then the halo
  const Ranks& ranks = alone();
  const ShardIndex* index = nullptr;  // null: `data` is the whole graph, as it was loaded
  const Shard* shard = nullptr;

  int64_t own() const { return shard ? shard->own : data.nodes(); }
  int64_t nodes() const { return index ? index->nodes : data.nodes(); }  // of the whole graph
  int64_t edges() const { return index ? index->edges : data.graph.edges(); }
  // Numbers of the own nodes before sharding, which all draws depend on; empty: 0, 1, ...
  Array<int64_t> numbers() const;
  // The shards of each rank: rank r has [begin(r), begin(r + 1)).
  int64_t begin(int64_t rank) const { return index->size() * rank / ranks.size(); }
};

}  // namespace gs
