// What a shard has of the whole graph: rows with local ids, its normalization, files' names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "dataset/shards/layout.h"

namespace gs {

namespace {

constexpr int64_t kGrain = 1 << 13;

struct Entry {
  int32_t id;
  float weight;
};

}  // namespace

std::string shard_name(int64_t shard) { return fmt::format("shard-{:05}", shard); }

bool is_shard_name(const std::string& name) {
  constexpr std::string_view kPrefix = "shard-";
  constexpr size_t kDigits = 5;
  return name.size() == kPrefix.size() + kDigits && name.starts_with(kPrefix) &&
         std::all_of(name.begin() + kPrefix.size(), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

std::string hash_of_file(const fs::path& file) {
  Hasher hasher;
  hasher.add(MappedFile(file).bytes());
  return hasher.result().hex();
}

LocalGraph localize(std::vector<int64_t> offsets, std::span<const int64_t> entries,
                    std::span<const float> weights, int64_t begin, const std::string& where) {
  const int64_t own = std::ssize(offsets) - 1, end = begin + own;
  const auto outside = [&](int64_t id) { return id < begin || id >= end; };
  LocalGraph out;
  std::ranges::copy_if(entries, std::back_inserter(out.halo), outside);
  out.cut_edges = std::ssize(out.halo);
  std::ranges::sort(out.halo);
  out.halo.erase(std::unique(out.halo.begin(), out.halo.end()), out.halo.end());
  const int64_t nodes = own + std::ssize(out.halo);
  if (nodes > std::numeric_limits<int32_t>::max())
    fail_data(where, fmt::format("a shard of {} nodes has a halo of {}", own, out.halo.size()),
              "use more shards");

  std::vector<int32_t> neighbors(entries.size());
  std::vector<float> moved(weights.size());
  parallel_for_weighted(offsets, kGrain, [&](int64_t first, int64_t last) {
    std::vector<Entry> row;
    for (int64_t i = first; i < last; ++i) {
      row.clear();
      for (int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
        const int64_t id = entries[e];
        const int64_t local =
            outside(id) ? own + (std::ranges::lower_bound(out.halo, id) - out.halo.begin())
                        : id - begin;
        row.push_back({static_cast<int32_t>(local), weights.empty() ? 1.0f : weights[e]});
      }
      std::ranges::sort(row, {}, &Entry::id);
      for (size_t k = 0; k < row.size(); ++k) {
        neighbors[offsets[i] + k] = row[k].id;
        if (!weights.empty()) moved[offsets[i] + k] = row[k].weight;
      }
    }
  });
  offsets.resize(static_cast<size_t>(nodes) + 1, std::ssize(entries));
  out.graph.offsets = std::move(offsets);
  out.graph.neighbors = std::move(neighbors);
  out.graph.weights = std::move(moved);
  return out;
}

std::vector<int64_t> halo_offsets(const ShardIndex& index, const Array<int64_t>& halo) {
  std::vector<int64_t> out;
  for (const int64_t id : index.offsets)
    out.push_back(std::lower_bound(halo.begin(), halo.end(), id) - halo.begin());
  return out;
}

int64_t Shard::local(int64_t global) const {
  if (global >= begin && global < begin + own) return global - begin;
  const auto found = std::lower_bound(halo.begin(), halo.end(), global);
  return found != halo.end() && *found == global ? own + (found - halo.begin()) : -1;
}

WholeDegree Shard::degree(int64_t local) const {
  const double* at = degrees.data() + local * kDegreeColumns;
  return {at[0], at[1], at[2], at[3], at[4]};
}

std::vector<int32_t> Shard::sent_to(int64_t from, int64_t to) const {
  const auto sent = send.slice(send_offsets[from], send_offsets[to]);
  std::vector<int32_t> out(sent.begin(), sent.end());
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Normalization normalization(const Shard& shard, Norm norm) {
  if (norm == Norm::sum) return {};
  const int64_t nodes = shard.nodes();
  std::vector<float> scale(static_cast<size_t>(nodes)), loops(static_cast<size_t>(nodes));
  for (int64_t v = 0; v < nodes; ++v) {
    const WholeDegree whole = shard.degree(v);
    loops[v] = whole.loops == 0 ? 1 : 0;
    const double degree = whole.in_weight + (norm == Norm::gcn ? loops[v] : 0);
    const double value = degree <= 0 ? 0 : norm == Norm::gcn ? 1 / std::sqrt(degree) : 1 / degree;
    scale[v] = static_cast<float>(std::min<double>(value, std::numeric_limits<float>::max()));
  }
  if (norm == Norm::mean) return {std::move(scale), {}, {}};
  const Array<float> both = std::move(scale);
  return {both, both, std::move(loops)};
}

}  // namespace gs
