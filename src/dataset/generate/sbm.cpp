#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "dataset/generate/models.h"
#include "dataset/generate/pairs.h"

namespace gs {

namespace {

constexpr int64_t kNodeBlock = 4096;

// Power-law weights x^-exponent of mean about 1, none above `cap`: where the graph is dense a hub
// cannot have many times the mean degree, because its class has no more nodes to offer.
std::vector<double> degree_weights(int64_t nodes, double exponent, double cap,
                                   const Random& random) {
  std::vector<double> weights(static_cast<size_t>(nodes), 1.0);
  if (exponent == 0 || cap <= 1) return weights;
  const double pole = 1e-6;  // the formulas below have poles at 1 and 2
  for (const double at : {1.0, 2.0})
    if (std::abs(exponent - at) < pole) exponent = at + pole;
  // x lies in [1, top]: `top` is such that it is `cap` times the mean.
  const auto mean = [&](double top) {
    return (1 - exponent) / (2 - exponent) * (std::pow(top, 2 - exponent) - 1) /
           (std::pow(top, 1 - exponent) - 1);
  };
  double low = 1 + 1e-9, high = 1e9;
  for (int step = 0; step < 100; ++step) {
    const double middle = std::sqrt(low * high);
    (middle / mean(middle) < cap ? low : high) = middle;
  }
  const double top = low, scale = 1 / mean(top), tail = 1 - std::pow(top, 1 - exponent);
  const int64_t blocks = (nodes + kNodeBlock - 1) / kNodeBlock;
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      Random stream = random.fork("degree", b);
      for (int64_t v = b * kNodeBlock; v < std::min(nodes, (b + 1) * kNodeBlock); ++v)
        weights[v] = scale * std::pow(1 - stream.uniform() * tail, 1 / (1 - exponent));
    }
  });
  return weights;
}

PairSpace within_classes(const ClassMembers& groups, const AliasTable& all,
                         const std::vector<AliasTable>& tables) {
  PairSpace space;
  space.nodes = std::ssize(groups.node_class);
  for (int64_t c = 0; c < groups.classes(); ++c)
    space.possible += groups.size(c) * (groups.size(c) - 1) / 2;
  const auto fill = [&groups](std::span<uint64_t> keys, const auto& first, const auto& second) {
    for (uint64_t& key : keys) {
      int64_t u = 0, v = 0;
      do {
        u = first();
        const int32_t c = groups.node_class[u];
        v = groups.members[groups.begin[c] + second(c)];
      } while (u == v);
      key = pair_key(u, v);
    }
  };
  space.weighted = [&all, &tables, fill](Random& random, std::span<uint64_t> keys) {
    fill(
        keys, [&] { return all.draw(random); }, [&](int32_t c) { return tables[c].draw(random); });
  };
  space.uniform = [&groups, fill](Random& random, std::span<uint64_t> keys) {
    fill(
        keys, [&] { return static_cast<int64_t>(random.below(groups.node_class.size())); },
        [&](int32_t c) { return static_cast<int64_t>(random.below(groups.size(c))); });
  };
  space.every = [&groups](const std::function<void(uint64_t)>& visit) {
    for (int64_t c = 0; c < groups.classes(); ++c)
      for (int64_t i = groups.begin[c]; i < groups.begin[c + 1]; ++i)
        for (int64_t j = i + 1; j < groups.begin[c + 1]; ++j)
          visit(pair_key(groups.members[i], groups.members[j]));
  };
  return space;
}

PairSpace between_classes(const ClassMembers& groups, const AliasTable& all,
                          int64_t within_possible) {
  PairSpace space;
  space.nodes = std::ssize(groups.node_class);
  space.possible = space.nodes * (space.nodes - 1) / 2 - within_possible;
  const auto fill = [&groups](std::span<uint64_t> keys, const auto& draw) {
    for (uint64_t& key : keys) {
      int64_t u = 0, v = 0;
      do {
        u = draw(), v = draw();
      } while (groups.node_class[u] == groups.node_class[v]);
      key = pair_key(u, v);
    }
  };
  space.weighted = [&all, fill](Random& random, std::span<uint64_t> keys) {
    fill(keys, [&] { return all.draw(random); });
  };
  space.uniform = [&groups, fill](Random& random, std::span<uint64_t> keys) {
    fill(keys, [&] { return static_cast<int64_t>(random.below(groups.node_class.size())); });
  };
  space.every = [&groups](const std::function<void(uint64_t)>& visit) {
    for (int64_t u = 0; u < std::ssize(groups.node_class); ++u)
      for (int64_t v = u + 1; v < std::ssize(groups.node_class); ++v)
        if (groups.node_class[u] != groups.node_class[v]) visit(pair_key(u, v));
  };
  return space;
}

void check_room(int64_t wanted, const PairSpace& space, std::string_view which) {
  if (wanted <= space.possible) return;
  fail_usage("--homophily",
             fmt::format("asks for {} edges {} classes, where there are only {} pairs of nodes",
                         wanted, which, space.possible),
             "change --homophily, or take more nodes, fewer edges or another number of --classes");
}

}  // namespace

EdgeList sbm_pairs(const GenerateOptions& options, const ClassMembers& groups, int64_t wanted,
                   const Random& random, Progress& progress) {
  const int64_t nodes = options.nodes, classes = groups.classes();
  const int64_t inside =
      classes == 1 ? wanted : std::llround(options.homophily * static_cast<double>(wanted));
  const int64_t across = wanted - inside;

  // A node's expected neighbors inside and outside may each be half of those there are.
  const double class_size = static_cast<double>(nodes) / static_cast<double>(classes);
  const auto room = [&](double others, int64_t pairs) {
    return pairs == 0 ? HUGE_VAL
                      : others * static_cast<double>(nodes) / (4.0 * static_cast<double>(pairs));
  };
  const double cap =
      std::min(room(class_size - 1, inside), room(static_cast<double>(nodes) - class_size, across));
  const std::vector<double> weights = degree_weights(nodes, options.degree_exponent, cap, random);

  const AliasTable all(weights);
  std::vector<AliasTable> tables;
  for (int64_t c = 0; c < classes; ++c) {
    std::vector<double> own;
    for (int64_t i = groups.begin[c]; i < groups.begin[c + 1]; ++i)
      own.push_back(weights[groups.members[i]]);
    tables.emplace_back(own);
  }
  const PairSpace within = within_classes(groups, all, tables);
  const PairSpace between = between_classes(groups, all, within.possible);
  check_room(inside, within, "inside");
  check_room(across, between, "between");

  EdgeList edges;
  edges.nodes = nodes;
  edges.source.reserve(wanted), edges.target.reserve(wanted);
  append_pairs(edges, within, inside, random.fork("inside"), progress);
  append_pairs(edges, between, across, random.fork("across"), progress);
  return edges;
}

}  // namespace gs
