#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>

#include "support/loader_laws.h"
#include "support/statistics.h"

namespace gs {
namespace {

using namespace gs::test;
using Ids = std::vector<int32_t>;

LoaderOptions saint_options(SaintSampler sampler, int64_t roots, int64_t coverage) {
  LoaderOptions options;
  options.loader = "saint";
  options.saint_sampler = sampler;
  options.roots = roots;
  options.coverage = coverage;
  options.steps = 1;
  return options;
}

// The cycle 0 - 1 - 2 - 3 - 0 with the chord 1 - 3, a tail 3 - 4, and 5 isolated.
Csr small_graph() { return undirected_graph(6, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 3}, {3, 4}}); }

// Compares how often each set of nodes is drawn with its probability.
void expect_sets(const Csr& graph, const LoaderOptions& options, std::map<Ids, double> probability,
                 const LoaderContext& context = {}) {
  constexpr int64_t kDraws = 20000;
  const Dataset data = dataset_of(graph);
  const auto loader = make_loader(data, options, context);
  LoaderWorkspace workspace;
  std::map<Ids, double> count;
  for (int64_t epoch = 0; epoch < kDraws; ++epoch)
    ++count[loader->sample(epoch, 0, workspace).nodes];
  std::vector<double> seen, expected;
  double total = 0;
  for (const auto& [nodes, share] : probability) {
    seen.push_back(count[nodes]);
    expected.push_back(kDraws * share);
    total += share;
  }
  ASSERT_NEAR(total, 1, 1e-6);
  EXPECT_EQ(count.size(), probability.size()) << "sets that cannot be drawn";
  EXPECT_LT(chi_square(seen, expected), chi_square_limit(static_cast<double>(seen.size()) - 1));
}

Ids set_of(std::initializer_list<int32_t> nodes) {
  const std::set<int32_t> distinct(nodes);
  return {distinct.begin(), distinct.end()};
}

TEST(SaintLoader, WalksVisitNodesByTheirExactProbabilities) {
  const Csr undirected = small_graph(), directed = graph(4, {{1, 0}, {2, 0}, {2, 1}, {3, 2}});
  for (const Csr& g : {undirected, directed}) {
    std::map<Ids, double> probability;
    const double root = 1.0 / static_cast<double>(g.nodes());
    for (int32_t v = 0; v < g.nodes(); ++v) {
      if (g.degree(v) == 0) probability[{v}] += root;
      for (const int32_t u : g.row(v)) {
        const double first = root / static_cast<double>(g.degree(v));
        if (g.degree(u) == 0) probability[set_of({v, u})] += first;
        for (const int32_t w : g.row(u))
          probability[set_of({v, u, w})] += first / static_cast<double>(g.degree(u));
      }
    }
    expect_sets(g, saint_options(SaintSampler::walk, 1, 1), probability);
  }
}

TEST(SaintLoader, NodesAreDrawnByTheirSquaredColumns) {
  // With the mean, column u has 1 / degree(v) for each v that has u as an in-neighbor.
  const Csr g = small_graph();
  std::map<Ids, double> probability;
  double total = 0;
  for (int32_t v = 0; v < g.nodes(); ++v)
    for (const int32_t u : g.row(v)) {
      const double square = 1.0 / static_cast<double>(g.degree(v) * g.degree(v));
      probability[{u}] += square;
      total += square;
    }
  for (auto& [nodes, share] : probability) share /= total;
  EXPECT_FALSE(probability.contains({5}));
  expect_sets(g, saint_options(SaintSampler::node, 1, 1), probability, {.norm = Norm::mean});
}

TEST(SaintLoader, EdgesAreDrawnByTheInverseDegreesOfTheirEnds) {
  const Csr undirected = small_graph(), directed = graph(4, {{1, 0}, {2, 0}, {2, 1}, {3, 2}});
  for (const Csr& g : {undirected, directed}) {
    const Csr turned = reverse(g);
    std::map<Ids, double> probability;
    double total = 0;
    for (int32_t v = 0; v < g.nodes(); ++v)
      for (const int32_t u : g.row(v)) {
        const double share =
            1.0 / static_cast<double>(g.degree(v)) + 1.0 / static_cast<double>(turned.degree(u));
        probability[set_of({u, v})] += share;
        total += share;
      }
    for (auto& [nodes, share] : probability) share /= total;
    expect_sets(g, saint_options(SaintSampler::edge, 1, 1), probability);
  }
}

// Given that a node is drawn, its mean sum is the full one, and the mean weighted loss is that of
// all target nodes. Both hold up to the error of the counts, of which there are as many as draws.
void expect_unbiased(const Csr& graph, SaintSampler sampler, Norm norm, const Ids& targets) {
  constexpr int64_t kDraws = 6000;
  const Dataset data = dataset_of(graph);
  std::vector<double> x;
  for (int64_t v = 0; v < graph.nodes(); ++v) x.push_back(std::cos(static_cast<double>(3 * v)));
  const std::vector<double> full = aggregate(whole_graph(graph, norm), x);
  const auto loader = make_loader(data, saint_options(sampler, 3, 2000),
                                  {.norm = norm, .random = Random(5), .target_nodes = targets});
  LoaderWorkspace workspace;
  std::vector<Mean> sum(x.size());
  Mean weight, weighted, count;
  for (int64_t epoch = 0; epoch < kDraws; ++epoch) {
    const Sample sample = loader->sample(epoch, 0, workspace);
    std::vector<double> local;
    for (const int32_t v : sample.nodes) local.push_back(x[v]);
    const std::vector<double> sums = aggregate(sample.layer(0), local);
    for (size_t i = 0; i < local.size(); ++i) sum[sample.nodes[i]].add(sums[i]);
    double weights = 0, loss = 0;
    for (int64_t i = 0; i < sample.targets; ++i) {
      weights += sample.weights[i];
      loss += sample.weights[i] * x[sample.nodes[i]];
    }
    weight.add(weights), weighted.add(loss), count.add(static_cast<double>(sample.targets));
  }
  for (size_t v = 0; v < x.size(); ++v)
    if (sum[v].count() > 0) {
      EXPECT_LT(std::abs(sum[v].mean() - full[v]), 7 * sum[v].error() + 1e-5) << "node " << v;
    }
  EXPECT_LT(std::abs(weight.mean() - count.mean()), 7 * (weight.error() + count.error()) + 1e-5);
  double mean = 0;
  for (const int32_t v : targets) mean += x[v] / static_cast<double>(targets.size());
  EXPECT_LT(std::abs(weighted.mean() / count.mean() - mean),
            7 * (weighted.error() + count.error()) / count.mean());
}

TEST(SaintLoader, SumsAndLossAreUnbiased) {
  const std::vector<Edge> edges = random_edges(12, 40, 8);
  const Ids all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, some{1, 4, 5, 10};
  expect_unbiased(undirected_graph(12, edges), SaintSampler::walk, Norm::gcn, all);
  expect_unbiased(weighted_graph(12, edges), SaintSampler::walk, Norm::mean, some);
  expect_unbiased(undirected_graph(12, edges), SaintSampler::node, Norm::gcn, some);
  expect_unbiased(undirected_graph(12, edges), SaintSampler::edge, Norm::sum, all);
}

TEST(SaintLoader, SubgraphsOfABatchStandApart) {
  const Dataset data = dataset_of(undirected_graph(60, random_edges(60, 200, 9)));
  Ids even;
  for (int32_t v = 0; v < 60; v += 2) even.push_back(v);
  for (const Ids& targets : {Ids{}, even}) {
    LoaderOptions options = saint_options(SaintSampler::walk, 5, 10);
    options.steps = 6;
    const LoaderContext context{.random = Random(2), .target_nodes = targets};
    const auto single = make_loader(data, options, context);
    options.subgraphs = 3;
    const auto triple = make_loader(data, options, context);
    LoaderWorkspace workspace;
    const Sample joined = triple->sample(1, 1, workspace);
    expect_sound(data, context, joined);
    const std::vector<double> together =
        aggregate(joined.layer(0), std::vector<double>(joined.nodes.size(), 1));
    // Subgraphs 3, 4 and 5: first their target nodes, then their other nodes.
    Ids nodes;
    std::vector<double> apart, weights;
    for (const bool target_part : {true, false})
      for (int64_t s = 3; s < 6; ++s) {
        const Sample one = single->sample(1, s, workspace);
        const std::vector<double> sums =
            aggregate(one.layer(0), std::vector<double>(one.nodes.size(), 1));
        for (int64_t i = 0; i < std::ssize(one.nodes); ++i)
          if ((i < one.targets) == target_part) {
            nodes.push_back(one.nodes[i]);
            apart.push_back(sums[i]);
            if (target_part) weights.push_back(one.weights[i]);
          }
      }
    EXPECT_EQ(joined.nodes, nodes);
    EXPECT_EQ(together, apart);
    EXPECT_EQ(std::vector<double>(joined.weights.begin(), joined.weights.end()), weights);
  }
}

TEST(SaintLoader, CountsAlikeOnAnyNumberOfThreads) {
  const Dataset data = dataset_of(undirected_graph(300, random_edges(300, 2000, 10)));
  LoaderWorkspace workspace;
  std::vector<Sample> samples;
  for (const int count : kThreadCounts) {
    const ThreadScope scope(count);
    const auto loader = make_loader(data, saint_options(SaintSampler::walk, 20, 30), {});
    samples.push_back(loader->sample(0, 0, workspace));
    expect_same(samples.back(), samples.front());
  }
}

TEST(SaintLoader, AnEpochSeesAboutEveryNode) {
  const Dataset data = dataset_of(undirected_graph(400, random_edges(400, 2000, 11)));
  for (const int64_t subgraphs : {1, 2}) {
    LoaderOptions options = saint_options(SaintSampler::walk, 10, 20);
    options.steps = 0;
    options.subgraphs = subgraphs;
    const auto loader = make_loader(data, options, {});
    LoaderWorkspace workspace;
    int64_t nodes = 0;
    for (int64_t i = 0; i < loader->batches(); ++i)
      nodes += std::ssize(loader->sample(0, i, workspace).nodes);
    EXPECT_NEAR(static_cast<double>(nodes), 400, 60);
    options.steps = 5;
    EXPECT_EQ(make_loader(data, options, {})->batches(), 5);
  }
}

TEST(SaintLoader, NeedsEdgesWhereItDrawsByThem) {
  const Dataset data = dataset_of(graph(5, {}));
  EXPECT_THROW(make_loader(data, saint_options(SaintSampler::edge, 2, 2), {}), Error);
  EXPECT_THROW(make_loader(data, saint_options(SaintSampler::node, 2, 2), {.norm = Norm::mean}),
               Error);
  EXPECT_NO_THROW(make_loader(data, saint_options(SaintSampler::walk, 2, 2), {}));
}

TEST(SaintLoader, StopsWhileItCounts) {
  const Dataset data = dataset_of(undirected_graph(300, random_edges(300, 2000, 10)));
  const std::atomic<bool> stop = true;
  try {
    make_loader(data, saint_options(SaintSampler::walk, 20, 30), {.stop = &stop});
    FAIL() << "was not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::interrupted);
  }
}

}  // namespace
}  // namespace gs
