#include "nn/encoder.h"

#include <gtest/gtest.h>

#include "nn/cost.h"
#include "nn/ops/torch_sparse.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace gs {
namespace {

using test::random_tensor;

const Device kDouble{at::kCPU, at::kDouble};

struct Variant {
  std::string encoder;
  Skip skip;
  NormKind norm;
  int64_t layers = 2;

  ModelOptions options(double dropout = 0) const {
    ModelOptions out;
    out.encoder = encoder, out.skip = skip, out.norm = norm, out.layers = layers,
    out.dropout = dropout;
    return out;
  }
};

std::vector<Variant> variants() {
  std::vector<Variant> out;
  for (const auto encoder : {"gcn", "sage"})
    for (const auto skip : {Skip::sum, Skip::linear, Skip::none})
      for (const auto norm : {NormKind::none, NormKind::batch, NormKind::layer})
        for (const int64_t layers : {1, 2, 3}) out.push_back({encoder, skip, norm, layers});
  return out;
}

std::string text(const Variant& v) {
  return fmt::format("{} {} {} {} layers", v.encoder, name_of(names_of(v.skip), v.skip),
                     name_of(names_of(v.norm), v.norm), v.layers);
}

// Node 7 is isolated.
Csr hub_graph() { return test::weighted_graph(8, test::hub_edges()); }

TEST(Encoder, GradientsOfEveryVariant) {
  const Csr graph = hub_graph();
  for (const Variant& variant : variants()) {
    SCOPED_TRACE(text(variant));
    Parameters parameters(kDouble, Random(4));
    const Encoder encoder(parameters, "encoder", 5, 3, variant.options(0.25), 1);
    const auto adjacency = adjacency_for(variant.encoder, graph, kDouble);
    const at::Tensor x = random_tensor({8, 5}, 5), factor = random_tensor({8, 3}, 6, false);
    const Pass pass{true, 0, Random(7)};
    auto inputs = parameters.weights();
    inputs.push_back({"x", x});
    // Smooth enough after a batch norm only with a small step; kinks of ReLU are not within it.
    test::expect_gradients(
        [&] { return (encoder.forward(x, adjacency, pass).tanh() * factor).sum(); }, inputs, 1e-6);
  }
}

TEST(Encoder, StepsOverBlocksOfRowsAreTheWholeForward) {
  const Csr graph = hub_graph();
  for (const Variant& variant : variants()) {
    SCOPED_TRACE(text(variant));
    Parameters parameters(kDouble, Random(4));
    const Encoder encoder(parameters, "encoder", 5, 3, variant.options(), 1);
    const auto adjacency = adjacency_for(variant.encoder, graph, kDouble);
    const Input x(random_tensor({8, 5}, 5, false));
    const at::NoGradGuard no_gradient;
    const Pass pass = Pass::inference();
    Input h = x;
    at::Tensor total;
    for (int64_t l = 0; l < encoder.layers(); ++l) {
      const Conv& conv = encoder.conv(l);
      const at::Tensor messages =
          at::cat({conv.messages(h.slice(0, 3)), conv.messages(h.slice(3, 8))});
      std::vector<at::Tensor> blocks;
      for (const auto& [begin, end] : {std::pair{0, 1}, {1, 6}, {6, 8}})
        blocks.push_back(encoder.output(l, conv.aggregate_rows(*adjacency, messages)(begin, end),
                                        h.slice(begin, end), pass));
      h = at::cat(blocks);
      total = variant.skip == Skip::sum && l > 0 ? total + h.dense() : h.dense();
    }
    EXPECT_LT((total - encoder.forward(x, adjacency, pass)).abs().max().item<double>(), 1e-12);
  }
}

TEST(Encoder, ASampledLayerAggregatesFirstAndSaysTheSame) {
  ASSERT_TRUE(aggregating_first_is_cheaper(2, 8, 5, 5, 3));
  const auto adjacency = std::make_shared<const TorchSparse>(
      2, 8, std::vector<int64_t>{0, 3, 5}, std::vector<int32_t>{0, 2, 7, 1, 6},
      std::vector<double>{.5, .3, .2, .6, .4}, kDouble);
  for (const Variant& variant : variants()) {
    if (variant.layers != 1) continue;
    SCOPED_TRACE(text(variant));
    Parameters parameters(kDouble, Random(4));
    const Encoder encoder(parameters, "encoder", 5, 3, variant.options(), 1);
    const at::Tensor x = random_tensor({8, 5}, 5), factor = random_tensor({2, 3}, 6, false);
    const Pass pass{true, 0, Random(7)};
    const auto gradients = [&](const at::Tensor& out) -> std::vector<at::Tensor> {
      std::vector<at::Tensor> all{out.detach()};
      auto inputs = parameters.weights();
      inputs.push_back({"x", x});
      for (const auto& [name, tensor] : inputs) tensor.mutable_grad() = at::Tensor();
      (out * factor).sum().backward();
      for (const auto& [name, tensor] : inputs) all.push_back(tensor.grad().clone());
      return all;
    };
    const std::vector<at::Tensor> first = gradients(encoder.forward(x, adjacency, pass));
    const Conv& conv = encoder.conv(0);
    const std::vector<at::Tensor> last = gradients(encoder.output(
        0, conv.aggregate(*adjacency, conv.messages(x), pass), x.slice(0, 0, 2), pass));
    for (size_t i = 0; i < first.size(); ++i)
      EXPECT_LT((first[i] - last[i]).abs().max().item<double>(), 1e-12) << i;
  }
}

TEST(Cost, AggregatesTheNarrowSideOfAWholeGraph) {
  EXPECT_TRUE(aggregating_first_is_cheaper(1000, 1000, 9000, 64, 128));
  EXPECT_FALSE(aggregating_first_is_cheaper(1000, 1000, 9000, 128, 64));
  EXPECT_FALSE(aggregating_first_is_cheaper(1000, 1000, 9000, 64, 64));
  EXPECT_TRUE(aggregating_first_is_cheaper(600, 4500, 7000, 745, 417));           // sampled
  EXPECT_FALSE(aggregating_first_is_cheaper(20000, 150000, 40000000, 602, 128));  // all neighbors
}

TEST(Encoder, SparseFeaturesGiveWhatDenseOnesGive) {
  const auto rows = std::make_shared<TorchSparse>(3, 4, std::vector<int64_t>{0, 2, 2, 3},
                                                  std::vector<int32_t>{0, 2, 1},
                                                  std::vector<double>{1.5, -2, 3}, kDouble);
  const Csr graph = test::undirected_graph(3, {{0, 1}, {1, 2}});
  for (const Variant& variant : variants()) {
    Parameters parameters(kDouble, Random(4));
    const Encoder encoder(parameters, "encoder", 4, 6, variant.options(), 1);
    const auto adjacency = adjacency_for(variant.encoder, graph, kDouble);
    const at::Tensor sparse = encoder.forward(Input(rows), adjacency, Pass::inference());
    const at::Tensor dense =
        encoder.forward(rows->matrix().to_dense(), adjacency, Pass::inference());
    EXPECT_LT((sparse - dense).abs().max().item<double>(), 1e-12) << text(variant);
  }
}

// Two nodes, one edge: the normalized adjacency is 1/2 everywhere. Layer 1: relu(1/2 (x0 + x1) * 2
// + 1), layer 2: h * -1 + 1.
TEST(Encoder, GcnByHand) {
  Parameters parameters(kDouble, Random(1));
  const Variant variant{"gcn", Skip::sum, NormKind::none, 2};
  const Encoder encoder(parameters, "e", 1, 1, variant.options(), 1);
  const at::NoGradGuard no_gradient;
  const double values[] = {2, 1, -1, 1};
  for (size_t i = 0; i < 4; ++i) parameters.weights()[i].tensor.fill_(values[i]);
  const auto adjacency = adjacency_for("gcn", test::undirected_graph(2, {{0, 1}}), kDouble);
  const at::Tensor z =
      encoder.forward(at::tensor({1., 4.}, at::kDouble).view({2, 1}), adjacency, Pass::inference());
  // Layer 1 gives 6 at both nodes, layer 2 gives -5: no ReLU on the last. Their sum is 1.
  EXPECT_NEAR(z[0].item<double>(), 1, 1e-12);
  EXPECT_NEAR(z[1].item<double>(), 1, 1e-12);
}

TEST(Encoder, BatchNormKeepsStatisticsOfEachView) {
  Parameters parameters(kDouble, Random(1));
  const Variant variant{"gcn", Skip::none, NormKind::batch, 1};
  const Encoder encoder(parameters, "encoder", 3, 2, variant.options(), 2);
  const auto adjacency = adjacency_for("gcn", hub_graph(), kDouble);
  const at::Tensor x = random_tensor({8, 3}, 2, false);
  ASSERT_EQ(parameters.buffers().size(), 2);
  const at::Tensor mean = parameters.buffers()[0].tensor, variance = parameters.buffers()[1].tensor;
  encoder.forward(x, adjacency, {true, 1, Random(1)});
  EXPECT_EQ(mean[0].abs().max().item<double>(), 0) << "view 0 was not there";
  EXPECT_GT(mean[1].abs().max().item<double>(), 0);
  const at::Tensor kept_mean = mean.clone(), kept_variance = variance.clone();
  const at::Tensor first = encoder.forward(x, adjacency, Pass::inference(0)),
                   second = encoder.forward(x, adjacency, Pass::inference(1));
  EXPECT_FALSE(at::allclose(first, second)) << "each view is normalized by its own";
  EXPECT_TRUE(at::equal(mean, kept_mean)) << "inference changes nothing";
  EXPECT_TRUE(at::equal(variance, kept_variance));
}

TEST(Encoder, BatchNormOfASingleRowIsFinite) {
  Parameters parameters(kDouble, Random(1));
  const Variant variant{"sage", Skip::sum, NormKind::batch, 2};
  const Encoder encoder(parameters, "encoder", 3, 2, variant.options(), 1);
  const auto adjacency = adjacency_for("sage", test::graph(1, {}), kDouble);
  const at::Tensor z =
      encoder.forward(random_tensor({1, 3}, 3, false), adjacency, {true, 0, Random(1)});
  EXPECT_TRUE(at::isfinite(z).all().item<bool>());
}

TEST(Encoder, IsolatedNodesAndZeroRowsGiveFiniteValuesAndGradients) {
  for (const Variant& variant : variants()) {
    Parameters parameters(kDouble, Random(1));
    const Encoder encoder(parameters, "encoder", 3, 4, variant.options(), 1);
    const auto adjacency = adjacency_for(variant.encoder, test::graph(5, {{0, 1}}), kDouble);
    const at::Tensor x = at::zeros({5, 3}, at::kDouble).set_requires_grad(true);
    const at::Tensor z = encoder.forward(x, adjacency, {true, 0, Random(1)});
    z.square().sum().backward();
    EXPECT_TRUE(at::isfinite(z).all().item<bool>()) << text(variant);
    EXPECT_TRUE(at::isfinite(x.grad()).all().item<bool>()) << text(variant);
    for (const auto& [name, weight] : parameters.weights())
      EXPECT_TRUE(at::isfinite(weight.grad()).all().item<bool>()) << text(variant) << " " << name;
  }
}

}  // namespace
}  // namespace gs
