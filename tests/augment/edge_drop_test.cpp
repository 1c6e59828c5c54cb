#include "augment/edge_drop.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/loader_laws.h"
#include "support/statistics.h"

namespace gs {
namespace {

using test::aggregate;

const Norm kGcn = Norm::gcn;

LayerGraph random_graph(bool symmetric, bool weighted = false) {
  const auto edges = test::random_edges(400, 4000, 7);
  const Csr graph = build_csr(test::edge_list(400, edges, weighted), {.symmetrize = symmetric});
  LayerGraph out = test::whole_graph(graph, Norm::gcn);
  out.symmetric = graph.symmetric;
  return out;
}

std::set<std::pair<int32_t, int32_t>> entries(const LayerGraph& graph) {
  std::set<std::pair<int32_t, int32_t>> out;
  for (int32_t v = 0; v < graph.matrix.rows; ++v)
    for (int64_t e = graph.matrix.offsets[v]; e < graph.matrix.offsets[v + 1]; ++e)
      out.insert({v, graph.matrix.indices[e]});
  return out;
}

void expect_equal(const LayerGraph& a, const LayerGraph& b) {
  using test::to_vector;
  EXPECT_EQ(to_vector(a.matrix.offsets), to_vector(b.matrix.offsets));
  EXPECT_EQ(to_vector(a.matrix.indices), to_vector(b.matrix.indices));
  EXPECT_EQ(to_vector(a.matrix.values), to_vector(b.matrix.values));
  EXPECT_EQ(to_vector(a.scales.row_scale), to_vector(b.scales.row_scale));
  EXPECT_EQ(to_vector(a.scales.col_scale), to_vector(b.scales.col_scale));
  EXPECT_EQ(to_vector(a.scales.self_weight), to_vector(b.scales.self_weight));
}

// Kept counts over many draws, for every group of entries with one probability.
TEST(EdgeDrop, KeepsEachEntryAsOftenAsItsProbabilitySays) {
  for (const bool symmetric : {false, true}) {
    const LayerGraph graph = random_graph(symmetric);
    std::vector<float> each(static_cast<size_t>(graph.matrix.indices.size()));
    for (int32_t v = 0; v < graph.matrix.rows; ++v)  // the same for both directions of a pair
      for (int64_t e = graph.matrix.offsets[v]; e < graph.matrix.offsets[v + 1]; ++e)
        each[e] = static_cast<float>(0.1 + 0.2 * ((v + graph.matrix.indices[e]) % 4));
    constexpr int kDraws = 60;
    std::map<float, std::pair<double, double>> seen;  // kept, all
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto kept = entries(drop_edges(graph, {0, each, Random(1).fork("draw", draw)}, &kGcn));
      for (int32_t v = 0; v < graph.matrix.rows; ++v)
        for (int64_t e = graph.matrix.offsets[v]; e < graph.matrix.offsets[v + 1]; ++e) {
          const int32_t u = graph.matrix.indices[e];
          if (symmetric && u < v) continue;  // drawn once per pair
          seen[each[e]].second += 1;
          seen[each[e]].first += kept.contains({v, u}) ? 1 : 0;
        }
    }
    std::vector<double> counts, expected;
    for (const auto& [probability, count] : seen) {
      const double keep = 1 - static_cast<double>(probability);
      counts.insert(counts.end(), {count.first, count.second - count.first});
      expected.insert(expected.end(), {count.second * keep, count.second * (1 - keep)});
    }
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_LT(test::chi_square(counts, expected), test::chi_square_limit(4));
  }
}

TEST(EdgeDrop, ASymmetricGraphStaysSymmetricAndADirectedOneIsDrawnByDirection) {
  const LayerGraph dropped = drop_edges(random_graph(true), {0.4, {}, Random(3)}, &kGcn);
  EXPECT_TRUE(dropped.symmetric);
  const auto kept = entries(dropped);
  for (const auto& [v, u] : kept) EXPECT_TRUE(kept.contains({u, v}));
  LayerGraph directed = random_graph(true);
  directed.symmetric = false;
  const auto each_way = entries(drop_edges(directed, {0.4, {}, Random(3)}, &kGcn));
  EXPECT_TRUE(std::any_of(each_way.begin(), each_way.end(), [&](const auto& entry) {
    return !each_way.contains({entry.second, entry.first});
  }));
}

TEST(EdgeDrop, IsTheSameOnAnyNumberOfThreads) {
  const LayerGraph graph = random_graph(true, true);
  const ThreadScope one(1);
  const LayerGraph expected = drop_edges(graph, {0.3, {}, Random(5)}, &kGcn);
  for (const int count : test::kThreadCounts) {
    const ThreadScope threads(count);
    expect_equal(drop_edges(graph, {0.3, {}, Random(5)}, &kGcn), expected);
  }
}

TEST(EdgeDrop, NormalizesAgainWhatIsLeft) {
  const LayerGraph dropped = drop_edges(random_graph(true, true), {0.5, {}, Random(2)}, &kGcn);
  const Csr left{dropped.matrix.offsets, dropped.matrix.indices, dropped.matrix.values, true};
  validate(left, "left");
  expect_equal(dropped, test::whole_graph(left, Norm::gcn));
}

// Scales of the whole graph stay, and the expected sum of a row is the whole one.
TEST(EdgeDrop, KeptScalesGiveTheWholeSumsInExpectation) {
  for (const bool uniform : {true, false}) {
    const LayerGraph graph = random_graph(false, !uniform);
    std::vector<float> each(static_cast<size_t>(graph.matrix.indices.size()));
    for (size_t e = 0; e < each.size(); ++e) each[e] = 0.1f * static_cast<float>(e % 6);
    std::vector<double> x(400);
    Random random(9);
    for (double& value : x) value = random.normal();
    const auto whole = aggregate(graph, x);
    std::vector<test::Mean> means(whole.size());
    for (int draw = 0; draw < 400; ++draw) {
      EdgeDrop drop{0.4, {}, Random(4).fork("draw", draw)};
      if (!uniform) drop.each = each;
      const auto sums = aggregate(drop_edges(graph, drop, nullptr), x);
      for (size_t v = 0; v < sums.size(); ++v) means[v].add(sums[v]);
    }
    for (size_t v = 0; v < whole.size(); ++v)
      EXPECT_NEAR(means[v].mean(), whole[v], 4.5 * means[v].error() + 1e-6) << v;
  }
}

TEST(EdgeDrop, NothingToDropSharesTheGraph) {
  const LayerGraph graph = random_graph(true);
  EXPECT_EQ(drop_edges(graph, {}, &kGcn).matrix.indices.data(), graph.matrix.indices.data());
}

}  // namespace
}  // namespace gs
