#include "augment/diffusion.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/loader_laws.h"

namespace gs {
namespace {

at::Tensor to_dense(const LayerGraph& graph) {
  const SparseMatrix& m = graph.matrix;
  at::Tensor out = at::zeros({m.rows, m.columns}, at::kDouble);
  for (int64_t v = 0; v < m.rows; ++v)
    for (int64_t e = m.offsets[v]; e < m.offsets[v + 1]; ++e)
      out[v][m.indices[e]] += static_cast<double>(m.values[e]);
  return out;
}

at::Tensor by_inverse(const Csr& graph, double alpha) {
  const int64_t n = graph.nodes();
  at::Tensor a = at::eye(n, at::kDouble);
  for (int64_t v = 0; v < n; ++v)
    for (int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e)
      a[v][graph.neighbors[e]] = graph.weighted() ? graph.weights[e] : 1.0;
  const at::Tensor scale = a.sum(1).rsqrt();
  a = scale.unsqueeze(1) * a * scale;
  return alpha * at::linalg_inv(at::eye(n, at::kDouble) - (1 - alpha) * a);
}

TEST(Diffusion, IsTheInverseOfThePaper) {
  for (const bool weighted : {false, true}) {
    std::vector<test::Edge> edges = test::random_edges(15, 30, 5);
    const Csr graph = build_csr(test::edge_list(15, edges, weighted), {.symmetrize = true});
    const at::Tensor made = to_dense(ppr_diffusion(graph, {.alpha = .2, .epsilon = 1e-9}));
    EXPECT_LT((made - by_inverse(graph, 0.2)).abs().max().item<double>(), 1e-5);
    EXPECT_LT((made - made.t()).abs().max().item<double>(), 1e-5);
  }
}

TEST(Diffusion, KeepsTheLargestEntriesOfEachRowInOrder) {
  const Csr graph = test::undirected_graph(30, test::random_edges(30, 90, 6));
  const LayerGraph few = ppr_diffusion(graph, {.alpha = .2, .epsilon = 1e-8, .top_k = 4});
  const LayerGraph all = ppr_diffusion(graph, {.alpha = .2, .epsilon = 1e-8, .top_k = 30});
  const auto entries = [](const LayerGraph& g, int64_t v) {
    return g.matrix.offsets[v + 1] - g.matrix.offsets[v];
  };
  for (int64_t v = 0; v < 30; ++v) {
    EXPECT_EQ(entries(few, v), std::min<int64_t>(4, entries(all, v)));
    EXPECT_TRUE(std::is_sorted(few.matrix.indices.begin() + few.matrix.offsets[v],
                               few.matrix.indices.begin() + few.matrix.offsets[v + 1]));
  }
}

TEST(Diffusion, BetweenNodesIsItsBlock) {
  const Csr graph = test::undirected_graph(12, test::random_edges(12, 30, 8));
  const LayerGraph whole = ppr_diffusion(graph, {.alpha = .3, .epsilon = 1e-6});
  const std::vector<int64_t> nodes{7, 2, 9, 4};
  const at::Tensor ids = at::tensor(nodes, at::kLong);
  const at::Tensor expected = to_dense(whole).index_select(0, ids).index_select(1, ids);
  EXPECT_TRUE(at::equal(to_dense(diffusion_between(whole, nodes)), expected));
}

}  // namespace
}  // namespace gs
