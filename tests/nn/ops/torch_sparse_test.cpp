#include "nn/ops/torch_sparse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/normalize.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace gs {
namespace {

using test::random_tensor;

const Device kDouble{at::kCPU, at::kDouble}, kFloat{at::kCPU, at::kFloat};

double largest(const at::Tensor& difference) { return difference.abs().max().item<double>(); }

// 5 x 4: a full row, empty rows first, in between and last, a column without entries.
struct Example {
  std::vector<int64_t> offsets{0, 0, 4, 4, 6, 6};
  std::vector<int32_t> indices{0, 1, 2, 3, 0, 2};
  std::vector<double> values{1, -2, 3, 0.5, 4, -1};

  std::shared_ptr<const TorchSparse> build(const Device& device = kDouble) const {
    return std::make_shared<TorchSparse>(5, 4, offsets, indices, values, device);
  }
  static at::Tensor dense() {
    return at::tensor(
               {0., 0., 0., 0., 1., -2., 3., .5, 0., 0., 0., 0., 4., 0., -1., 0., 0., 0., 0., 0.},
               at::kDouble)
        .view({5, 4});
  }
};

// Forward and backward against the dense product.
void expect_same_as_dense(const SparseOperator& sparse, const at::Tensor& dense, int64_t width) {
  const at::Tensor x = random_tensor({dense.size(1), width}, 1),
                   y = x.detach().clone().set_requires_grad(true);
  const at::Tensor weight = random_tensor({dense.size(0), width}, 2, false);
  const at::Tensor ours = sparse.apply(x), theirs = at::mm(dense, y);
  ASSERT_EQ(ours.sizes(), theirs.sizes());
  EXPECT_LT(largest(ours - theirs), 1e-12);
  (ours * weight).sum().backward();
  (theirs * weight).sum().backward();
  EXPECT_LT(largest(x.grad() - y.grad()), 1e-12);
}

TEST(TorchSparse, IsTheDenseProductBothWays) {
  for (const int64_t width : {1, 2, 3, 8, 17})
    expect_same_as_dense(*Example().build(), Example::dense(), width);
}

TEST(TorchSparse, GradientIsNumericallyRight) {
  const auto sparse = Example().build();
  const at::Tensor x = random_tensor({4, 3}, 3), weight = random_tensor({5, 3}, 4, false);
  test::expect_gradients([&] { return (sparse->apply(x).tanh() * weight).sum(); }, {{"x", x}});
}

TEST(TorchSparse, NoValuesMeansAllOnes) {
  Example example;
  example.values.clear();
  expect_same_as_dense(*example.build(), (Example::dense() != 0).to(at::kDouble), 3);
}

TEST(TorchSparse, WithoutAnyEntryGivesZeros) {
  const auto sparse =
      std::make_shared<TorchSparse>(3, 2, std::vector<int64_t>{0, 0, 0, 0},
                                    std::span<const int32_t>{}, std::vector<double>{}, kDouble);
  expect_same_as_dense(*sparse, at::zeros({3, 2}, at::kDouble), 4);
}

TEST(TorchSparse, HubAndIsolatedNodes) {
  std::vector<test::Edge> star;
  for (int32_t i = 1; i < 300; ++i) star.push_back({0, i}), star.push_back({i, 0});
  for (const auto& sparse : {gcn_operator(test::graph(302, star), kDouble),
                             mean_operator(test::graph(302, star), kDouble)})
    for (const int64_t width : {1, 5})
      expect_same_as_dense(*sparse, sparse->matrix().to_dense(), width);
}

TEST(TorchSparse, TransposeIsTheTranspose) {
  const auto sparse = Example().build();
  EXPECT_EQ(largest(sparse->transpose().to_dense() - Example::dense().t()), 0);
  EXPECT_EQ(sparse->transpose().size(0), 4);
}

TEST(TorchSparse, SliceIsThoseRows) {
  const auto sparse = Example().build();
  for (const auto& [begin, end] : {std::pair{0, 5}, {0, 1}, {1, 4}, {4, 5}, {2, 2}}) {
    const auto part = sparse->slice(begin, end);
    EXPECT_EQ(part->rows(), end - begin);
    EXPECT_TRUE(at::equal(matrix_of(*part).to_dense(), Example::dense().slice(0, begin, end)));
    if (end > begin) expect_same_as_dense(*part, Example::dense().slice(0, begin, end), 3);
  }
}

TEST(TorchSparse, MayGoBeforeTheBackwardPass) {
  const at::Tensor x = random_tensor({4, 3}, 5);
  const at::Tensor y = Example().build()->slice(1, 4)->apply(x);
  y.sum().backward();
  EXPECT_LT(largest(x.grad() - Example::dense().slice(0, 1, 4).sum(0).view({4, 1}).expand({4, 3})),
            1e-12);
}

TEST(TorchSparse, FloatIsNearDouble) {
  const at::Tensor x = random_tensor({4, 6}, 6, false);
  EXPECT_LT(largest(Example().build(kFloat)->apply(x.to(at::kFloat)).to(at::kDouble) -
                    Example().build()->apply(x)),
            1e-5);
}

// 0 - 1 - 2 and 3 alone: degrees with loops 2, 3, 2, 1.
TEST(GcnOperator, ByHand) {
  const double s = 1 / std::sqrt(6.0);
  const at::Tensor expected =
      at::tensor({.5, s, 0., 0., s, 1. / 3, s, 0., 0., s, .5, 0., 0., 0., 0., 1.}, at::kDouble)
          .view({4, 4});
  EXPECT_LT(
      largest(
          gcn_operator(test::undirected_graph(4, {{0, 1}, {1, 2}}), kDouble)->matrix().to_dense() -
          expected),
      1e-15);
}

// Row v holds what v hears: 0 -> 1 with weight 3, a loop of weight 2 at 1. Degrees 1 (added loop)
// and 5.
TEST(GcnOperator, KeepsDirectionWeightsAndLoops) {
  const at::Tensor expected =
      at::tensor({1., 0., 3 / std::sqrt(5.0), 2. / 5}, at::kDouble).view({2, 2});
  const Csr graph = test::weighted_graph(2, {{0, 1, 3}, {1, 1, 2}});
  EXPECT_LT(largest(gcn_operator(graph, kDouble)->matrix().to_dense() - expected), 1e-15);
}

TEST(GcnOperator, OnlyZeroWeightsStayFinite) {
  const Csr graph = test::weighted_graph(3, {{0, 0, 0}, {1, 2, 0}});
  const at::Tensor dense = gcn_operator(graph, kDouble)->matrix().to_dense();
  EXPECT_TRUE(at::isfinite(dense).all().item<bool>());
  EXPECT_EQ(dense[0][0].item<double>(), 0);
  EXPECT_EQ(dense[2][2].item<double>(), 1);
}

TEST(MeanOperator, ByHand) {
  const Csr graph = test::weighted_graph(4, {{0, 1, 1}, {2, 1, 3}, {1, 2, 5}, {0, 3, 0}});
  const at::Tensor expected =
      at::tensor({0., 0., 0., 0., .25, 0., .75, 0., 0., 1., 0., 0., 0., 0., 0., 0.}, at::kDouble)
          .view({4, 4});
  EXPECT_LT(largest(mean_operator(graph, kDouble)->matrix().to_dense() - expected), 1e-15);
}

// The folded scales of graph/normalize.h and the explicit values are the same matrix.
TEST(Operators, AgreeWithTheFoldedNormalization) {
  for (const bool weighted : {false, true}) {
    const auto edges = test::random_edges(30, 200, 3);
    const Csr graph = weighted ? test::weighted_graph(31, edges) : test::graph(31, edges);
    for (const Norm norm : {Norm::gcn, Norm::mean}) {
      const Normalization folded = normalization(graph, norm);
      const auto scale = [](const Array<float>& values, int64_t v) {
        return values.empty() ? 1.0 : values[v];
      };
      at::Tensor expected = at::zeros({31, 31}, at::kDouble);
      for (int64_t v = 0; v < 31; ++v) {
        for (int64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e)
          expected[v][graph.neighbors[e]] += scale(folded.row_scale, v) *
                                             scale(folded.col_scale, graph.neighbors[e]) *
                                             (weighted ? graph.weights[e] : 1.0);
        if (!folded.self_weight.empty())
          expected[v][v] +=
              scale(folded.row_scale, v) * folded.self_weight[v] * scale(folded.col_scale, v);
      }
      const auto ours =
          norm == Norm::gcn ? gcn_operator(graph, kDouble) : mean_operator(graph, kDouble);
      EXPECT_LT(largest(ours->matrix().to_dense() - expected), 1e-6);
    }
  }
}

}  // namespace
}  // namespace gs
