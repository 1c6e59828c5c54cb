#include "loader/loader.h"

#include <gtest/gtest.h>

#include "options/loaders.h"
#include "support/loader_laws.h"

namespace gs {
namespace {

using namespace gs::test;

LoaderOptions small_batches(std::string_view loader) {
  LoaderOptions options;
  options.loader = loader;
  options.batch_size = 16;
  options.fanouts = {4, 3};
  options.parts = 12;
  options.parts_per_batch = 2;
  options.roots = 10;
  options.coverage = 5;
  return options;
}

// Every row of the table except the whole graph.
std::vector<LoaderInfo> sampled_loaders() { return {loaders().begin() + 1, loaders().end()}; }

struct Case {
  std::string name;
  Csr graph;
};

std::vector<Case> graphs() {
  std::vector<Edge> hub;
  for (int32_t u = 1; u < 90; ++u) hub.push_back({u, 0});
  return {{"directed, with loops", graph(100, random_edges(100, 800, 1))},
          {"weighted", weighted_graph(100, random_edges(100, 800, 2))},
          {"undirected, isolated nodes", undirected_graph(130, random_edges(100, 300, 3))},
          {"hub", undirected_graph(95, hub)},
          {"no edge", graph(40, {})},
          {"one node", graph(1, {})}};
}

TEST(Loaders, KeepTheirLaws) {
  for (const LoaderInfo& row : sampled_loaders()) {
    for (const Case& item : graphs())
      for (const Norm norm : {Norm::gcn, Norm::mean, Norm::sum})
        for (const bool sparse : {false, true}) {
          SCOPED_TRACE(fmt::format("{}, {}", row.name, item.name));
          const Dataset data = dataset_of(item.graph, sparse);
          LoaderContext context;
          context.norm = norm;
          context.random = Random(7);
          check_loader_laws(data, small_batches(row.name), context, !row.reweighted);
          std::vector<int32_t> some;
          for (int32_t v = 0; v < data.nodes(); v += 3) some.push_back(v);
          context.target_nodes = some;
          check_loader_laws(data, small_batches(row.name), context, !row.reweighted);
        }
  }
}

TEST(Loaders, AnotherSeedGivesOtherBatches) {
  const Dataset data = dataset_of(undirected_graph(200, random_edges(200, 900, 1)));
  for (const LoaderInfo& row : sampled_loaders()) {
    LoaderWorkspace workspace;  // shared by both
    const auto first = make_loader(data, small_batches(row.name), {.random = Random(1)});
    const auto second = make_loader(data, small_batches(row.name), {.random = Random(2)});
    EXPECT_NE(first->sample(0, 0, workspace).nodes, second->sample(0, 0, workspace).nodes)
        << row.name;
  }
}

TEST(Loaders, NeedNodesAndANameThatSamples) {
  const Dataset none = dataset_of(graph(0, {})), some = dataset_of(graph(3, {{0, 1}}));
  for (const LoaderInfo& row : sampled_loaders()) {
    try {
      make_loader(none, small_batches(row.name), {});
      ADD_FAILURE() << row.name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
    }
  }
  for (const char* name : {"full", "auto"}) {
    try {
      make_loader(some, small_batches(name), {});
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::internal);
    }
  }
}

}  // namespace
}  // namespace gs
