// R-MAT (Chakrabarti et al. 2004): each bit of the two ids falls into one of four quadrants with
// probabilities a, b, c, d. The noise of Seshadhri et al. (2013), drawn once per level, takes the
// steps out of the degree distribution.
#include <bit>
#include <numeric>

#include "dataset/generate/models.h"
#include "dataset/generate/pairs.h"

namespace gs {

namespace {

constexpr double kA = 0.57, kB = 0.19, kC = 0.19, kD = 0.05, kNoise = 0.1;

struct Level {
  uint32_t first, second, third;  // cumulative probabilities of the quadrants, of 2^32
};

std::vector<Level> make_levels(int64_t nodes, Random random) {
  std::vector<Level> levels(std::bit_width(static_cast<uint64_t>(nodes - 1)));
  for (Level& level : levels) {
    const double noise = (2 * random.uniform() - 1) * kNoise;
    const double a = kA - 2 * noise * kA / (kA + kD), b = kB + noise, c = kC + noise;
    const auto scaled = [](double share) { return static_cast<uint32_t>(share * 0x1.0p32); };
    level = {scaled(a), scaled(a + b), scaled(a + b + c)};
  }
  return levels;
}

}  // namespace

EdgeList rmat_pairs(const GenerateOptions& options, int64_t wanted, const Random& random,
                    Progress& progress) {
  const int64_t nodes = options.nodes;
  const std::vector<Level> levels = make_levels(nodes, random.fork("levels"));
  std::vector<int32_t> shuffled(static_cast<size_t>(nodes));
  std::iota(shuffled.begin(), shuffled.end(), 0);
  random.fork("ids").shuffle(std::span(shuffled));  // the recursion alone makes low ids the hubs

  PairSpace space;
  space.nodes = nodes;
  space.possible = nodes * (nodes - 1) / 2;
  space.weighted = [&](Random& stream, std::span<uint64_t> keys) {
    for (uint64_t& key : keys) {
      int64_t u = 0, v = 0;
      do {
        u = v = 0;
        for (const Level& level : levels) {
          const uint32_t draw = stream.bits32();
          const int quadrant =
              (draw >= level.first) + (draw >= level.second) + (draw >= level.third);
          u = u << 1 | quadrant >> 1, v = v << 1 | (quadrant & 1);
        }
      } while (u == v || u >= nodes || v >= nodes);
      key = pair_key(shuffled[u], shuffled[v]);
    }
  };
  space.uniform = [&](Random& stream, std::span<uint64_t> keys) {
    for (uint64_t& key : keys) {
      const auto u = stream.below(nodes), v = stream.below(nodes - 1);
      key = pair_key(u, v + (v >= u));
    }
  };
  space.every = [&](const std::function<void(uint64_t)>& visit) {
    for (int64_t u = 0; u < nodes; ++u)
      for (int64_t v = u + 1; v < nodes; ++v) visit(pair_key(u, v));
  };

  EdgeList edges;
  edges.nodes = nodes;
  edges.source.reserve(wanted), edges.target.reserve(wanted);
  append_pairs(edges, space, wanted, random.fork("pairs"), progress);
  return edges;
}

}  // namespace gs
