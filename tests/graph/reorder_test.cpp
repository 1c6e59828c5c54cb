#include "graph/reorder.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "support/graphs.h"

namespace gs {
namespace {

using namespace gs::test;
using Ids = std::vector<int32_t>;

TEST(Reorder, PutsLongRowsFirst) {
  const Csr g = graph(4, {{0, 2}, {1, 2}, {3, 2}, {0, 1}, {1, 3}});
  EXPECT_EQ(order_by_degree(g), (Ids{2, 1, 3, 0}));
}

TEST(Reorder, VisitsBreadthFirstAndEveryComponent) {
  const Csr g = undirected_graph(6, {{0, 4}, {4, 1}, {0, 3}, {2, 5}});
  EXPECT_EQ(order_by_bfs(g), (Ids{0, 3, 4, 1, 2, 5}));
  EXPECT_EQ(order_by_bfs(graph(0, {})), Ids{});
}

TEST(Reorder, GathersPartsInOrder) {
  EXPECT_EQ(order_by_part(Ids{1, 0, 2, 0, 1}), (Ids{1, 3, 0, 4, 2}));
}

TEST(Reorder, InvertsAnOrderAndRefusesWhatIsNone) {
  EXPECT_EQ(inverse_order(Ids{2, 0, 1}), (Ids{1, 2, 0}));
  EXPECT_THROW(inverse_order(Ids{0, 0}), Error);
  EXPECT_THROW(inverse_order(Ids{0, 2}), Error);
  EXPECT_THROW(inverse_order(Ids{-1, 0}), Error);
}

TEST(Reorder, RenumbersRowsAndColumns) {
  // 0 -> 1 (5), 1 -> 2 (6) with order 2, 0, 1: old 0 is new 1, old 1 is new 2, old 2 is new 0.
  const Csr g = reorder(weighted_graph(3, {{0, 1, 5}, {1, 2, 6}}), Ids{2, 0, 1});
  EXPECT_EQ(to_vector(g.offsets), (std::vector<int64_t>{0, 1, 1, 2}));
  EXPECT_EQ(to_vector(g.neighbors), (Ids{2, 1}));
  EXPECT_EQ(to_vector(g.weights), (std::vector<float>{6, 5}));
  EXPECT_THROW(reorder(g, Ids{0, 1}), Error);
  EXPECT_THROW(reorder(g, Ids{0, 1, 1}), Error);
}

TEST(Reorder, ThereAndBackIsTheSameGraphOnAnyNumberOfThreads) {
  for (const bool symmetrize : {false, true}) {
    const Csr g =
        build_csr(edge_list(900, random_edges(900, 20000, 12), true), {.symmetrize = symmetrize});
    for (const int count : kThreadCounts) {
      const ThreadScope scope(count);
      for (const Ids& order : {order_by_degree(g), order_by_bfs(g)}) {
        const Csr moved = reorder(g, order);
        validate(moved, "reordered");
        EXPECT_EQ(is_symmetric(moved), symmetrize);
        EXPECT_EQ(moved.symmetric, symmetrize);
        EXPECT_NE(to_vector(moved.neighbors), to_vector(g.neighbors));
        const Csr back = reorder(moved, inverse_order(order));
        EXPECT_EQ(to_vector(back.offsets), to_vector(g.offsets));
        EXPECT_EQ(to_vector(back.neighbors), to_vector(g.neighbors));
        EXPECT_EQ(to_vector(back.weights), to_vector(g.weights));
      }
    }
  }
}

}  // namespace
}  // namespace gs
