#include "dataset/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/graphs.h"

namespace gs {
namespace {

using test::graph;
using test::undirected_graph;

// A triangle 0 1 2, a pair 3 4, and 5 alone; classes 0 0 1, 1 1, 0.
Dataset triangle_and_pair() {
  Dataset data;
  data.name = "toy";
  data.format = "test";
  data.graph = undirected_graph(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}});
  data.raw_edges = 4;
  data.features = {DenseMatrix{6, 2, std::vector<float>{1, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0}}};
  data.labels = {.task = Task::binary,
                 .classes = 2,
                 .single = std::vector<int32_t>{0, 0, 1, 1, 1, 0},
                 .multi = {}};
  return data;
}

TEST(Summary, CountsTheGraph) {
  const Summary s = summarize(triangle_and_pair());
  EXPECT_EQ(s.nodes, 6);
  EXPECT_EQ(s.edges, 8);
  EXPECT_EQ(s.raw_edges, 4);
  EXPECT_EQ(s.self_loops, 0);
  EXPECT_EQ(s.isolated, 1);
  EXPECT_EQ(s.components, 3);
  EXPECT_EQ(s.largest_component, 3);
  EXPECT_FALSE(s.directed);
  EXPECT_EQ(s.min_degree, 0);
  EXPECT_EQ(s.max_degree, 2);
  EXPECT_EQ(s.median_degree, 1);  // 0 1 1 2 2 2: the lower of the middle two
  EXPECT_DOUBLE_EQ(s.mean_degree, 8.0 / 6);
  EXPECT_EQ(s.degree_histogram, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_DOUBLE_EQ(s.feature_density, 3.0 / 12);
  EXPECT_EQ(s.class_counts, (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(s.unlabeled, 0);
  EXPECT_EQ(s.graph_bytes, 7 * 8 + 8 * 4);
  EXPECT_EQ(s.feature_bytes, 12 * 4);
}

TEST(Summary, HomophilyByEdgesAndByClass) {
  const Summary s = summarize(triangle_and_pair());
  EXPECT_DOUBLE_EQ(s.edge_homophily, 4.0 / 8);  // 0-1 and 3-4 of four edges
  // Class 0: 2 of its 4 entries, share of nodes 1/2: nothing. Class 1: 2 of 4, the same.
  EXPECT_DOUBLE_EQ(s.class_homophily, 0);

  Dataset apart = triangle_and_pair();
  apart.labels.single = std::vector<int32_t>{0, 0, 0, 1, 1, 1};
  EXPECT_DOUBLE_EQ(summarize(apart).edge_homophily, 1);
  EXPECT_DOUBLE_EQ(summarize(apart).class_homophily, 1);  // (1 - 1/2) + (1 - 1/2), over C - 1
}

TEST(Summary, EdgesOfUnlabeledNodesDoNotCount) {
  Dataset data = triangle_and_pair();
  data.labels.single = std::vector<int32_t>{0, 0, -1, 1, 1, -1};
  const Summary s = summarize(data);
  EXPECT_DOUBLE_EQ(s.edge_homophily, 1);  // 0-1 and 3-4 remain
  EXPECT_EQ(s.unlabeled, 2);
  EXPECT_EQ(s.class_counts, (std::vector<int64_t>{2, 2}));
}

TEST(Summary, SelfLoopsAreCountedButTellNoHomophily) {
  Dataset data;
  data.graph = graph(3, {{0, 0}, {1, 1}, {1, 2}});
  data.labels = {
      .task = Task::binary, .classes = 2, .single = std::vector<int32_t>{0, 0, 1}, .multi = {}};
  const Summary s = summarize(data);
  EXPECT_EQ(s.self_loops, 2);
  EXPECT_EQ(s.isolated, 1);  // 0 only hears itself
  EXPECT_DOUBLE_EQ(s.edge_homophily, 0);
}

TEST(Summary, ComponentsOfADirectedGraphAreWeak) {
  Dataset data;
  data.graph = graph(5, {{1, 0}, {1, 2}, {4, 3}});
  const Summary s = summarize(data);
  EXPECT_TRUE(s.directed);
  EXPECT_EQ(s.components, 2);
  EXPECT_EQ(s.largest_component, 3);
  EXPECT_EQ(s.isolated, 0);
  EXPECT_EQ(s.max_degree, 1);  // edges in
}

TEST(Summary, ALongPathIsOneComponent) {
  std::vector<test::Edge> edges;
  for (int32_t v = 0; v + 1 < 1000; ++v) edges.push_back({(v * 7 + 7) % 1000, (v * 7) % 1000});
  Dataset data;
  data.graph = undirected_graph(1000, edges);
  EXPECT_EQ(summarize(data).components, 1);
}

TEST(Summary, WithoutLabelsThereIsNoHomophily) {
  Dataset data = triangle_and_pair();
  data.labels = {};
  const Summary s = summarize(data);
  EXPECT_TRUE(std::isnan(s.edge_homophily));
  EXPECT_TRUE(std::isnan(s.class_homophily));
  EXPECT_EQ(s.unlabeled, 6);
  const nlohmann::json json = to_json(data, s);
  EXPECT_TRUE(json["homophily"]["edge"].is_null());
  EXPECT_EQ(json["task"], "none");
}

TEST(Summary, LabelSetsCountByTheirOverlap) {
  Dataset data;
  data.graph = undirected_graph(4, {{0, 1}, {1, 2}, {2, 3}});
  constexpr uint8_t q = Labels::kUnknown;
  data.labels = {.task = Task::multilabel,
                 .classes = 3,
                 .single = {},
                 .multi = std::vector<uint8_t>{1, 1, 0, 1, 0, 0, 1, 0, 1, q, q, q}};
  const Summary s = summarize(data);
  EXPECT_DOUBLE_EQ(s.edge_homophily,
                   0.5);  // {0,1} and {0}: 1/2; {0} and {0,2}: 1/2; the third is unlabeled
  EXPECT_TRUE(std::isnan(s.class_homophily));
  EXPECT_EQ(s.class_counts, (std::vector<int64_t>{3, 1, 1}));
  EXPECT_EQ(s.unlabeled, 1);
}

TEST(Summary, IsTheSameOnAnyNumberOfThreads) {
  Dataset data;
  data.graph =
      build_csr(test::edge_list(500, test::random_edges(500, 4000, 1)), {.symmetrize = true});
  std::vector<int32_t> labels(500);
  for (int32_t v = 0; v < 500; ++v) labels[v] = v % 7;
  data.labels = {.task = Task::multiclass, .classes = 7, .single = labels, .multi = {}};
  const auto run = [&](int count) {
    const ThreadScope scope(count);
    return to_json(data, summarize(data));
  };
  EXPECT_EQ(run(1), run(2));
  EXPECT_EQ(run(1), run(3));
}

TEST(Summary, JsonHasTheKeysThatScriptsRelyOn) {
  Dataset data = triangle_and_pair();
  data.splits = {Split{{0}, {1}, {2, 3}}, Split{{1}, {0}, {4}}};
  const nlohmann::json json = to_json(data, summarize(data));
  EXPECT_EQ(json["nodes"], 6);
  EXPECT_EQ(json["edges"], 8);
  EXPECT_EQ(json["features"], 2);
  EXPECT_EQ(json["classes"], 2);
  EXPECT_EQ(json["task"], "bc");
  EXPECT_EQ(json["splits"], 2);
  EXPECT_EQ(json["degree"]["histogram"], (std::vector<int64_t>{1, 2, 3}));
}

TEST(Summary, TextIsReadable) {
  Dataset data = triangle_and_pair();
  data.raw_edges = 1234567;
  data.treatment = "symmetrized";
  const std::string text = to_text(data, summarize(data));
  for (const char* part :
       {"toy (test)\n", "  symmetrized\n", "1,234,567  edges as the source lists them",
        "the largest has 3 nodes, 50.0 %", "median 1, from 0 to 2",
        "2 to 3                      3  ########################################\n",
        "25.0 % of the values are not 0", "one per node",
        "0.500  of the edges join nodes of one class", "none  of its own"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

TEST(Summary, AnEmptyGraphIsNoTrouble) {
  const Dataset data;
  const Summary s = summarize(data);
  EXPECT_EQ(s.nodes, 0);
  EXPECT_EQ(s.components, 0);
  EXPECT_FALSE(to_text(data, s).empty());
}

}  // namespace
}  // namespace gs
