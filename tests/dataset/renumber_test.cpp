#include "dataset/renumber.h"

#include <gmock/gmock.h>

#include "dataset/generate/generate.h"
#include "support/graphs.h"

namespace gs {
namespace {

Dataset example(int64_t labels_per_node) {
  GenerateOptions options;
  options.nodes = 200, options.classes = 3, options.features = 4, options.seed = 2;
  options.labels_per_node = labels_per_node;
  Dataset data = generate(options);
  data.splits = {{{0, 5, 9}, {1, 2}, {3}}};
  return data;
}

TEST(Renumber, EveryRowGoesWithItsNode) {
  for (const int64_t labels : {0, 2})
    for (const auto rule : {Reorder::metis, Reorder::degree, Reorder::bfs, Reorder::none}) {
      const Dataset data = example(labels);
      const auto order = node_order(data.graph, rule);
      const Dataset moved = renumber(data, order);
      ASSERT_EQ(moved.nodes(), data.nodes());
      ASSERT_EQ(moved.graph.edges(), data.graph.edges());
      validate(moved.graph, "moved");
      for (int64_t i = 0; i < data.nodes(); ++i) {
        const int32_t old = order[static_cast<size_t>(i)];
        EXPECT_EQ(moved.node_ids[static_cast<size_t>(i)], std::to_string(old));
        EXPECT_THAT(moved.features.dense_matrix().row(i),
                    testing::ElementsAreArray(data.features.dense_matrix().row(old)));
        if (labels == 0) EXPECT_EQ(moved.labels.single[i], data.labels.single[old]);
        else
          EXPECT_THAT(moved.labels.multi.slice(3 * i, 3 * i + 3),
                      testing::ElementsAreArray(data.labels.multi.slice(3 * old, 3 * old + 3)));
        std::vector<int32_t> neighbors;
        for (const int32_t u : moved.graph.row(i)) neighbors.push_back(order[u]);
        EXPECT_THAT(neighbors, testing::UnorderedElementsAreArray(data.graph.row(old)));
      }
      std::vector<int32_t> train;
      for (const int32_t v : moved.splits[0].train) train.push_back(order[v]);
      EXPECT_THAT(train, testing::UnorderedElementsAre(0, 5, 9));
    }
}

}  // namespace
}  // namespace gs
