#include "method/graphsurgeon.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nn/ops/torch_sparse.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace gs {
namespace {

const Device kDouble{at::kCPU, at::kDouble};

ModelOptions model_options(AugmentMode mode, double dropout = 0) {
  ModelOptions out;
  out.layers = 2, out.skip = Skip::none;
  out.mode = mode, out.aug_dim = 4, out.dim = 3, out.dropout = dropout;
  return out;
}

// A hub, a directed edge, an isolated node 6; node 5 has no features.
Batch small_batch(const ModelOptions& options) {
  const Csr graph =
      test::graph(7, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 0}, {2, 3}, {3, 2}});
  at::Tensor x = test::random_tensor({7, 5}, 1, false);
  x[5].zero_();
  return {x, adjacency_for(options.encoder, graph, kDouble)};
}

at::Tensor weight(const GraphSurgeon& model, const std::string& name) {
  for (const auto& w : model.parameters().weights())
    if (w.name == name) return w.tensor;
  throw std::runtime_error("no weight " + name);
}

void fill(const GraphSurgeon& model, const std::string& name, const at::Tensor& value) {
  const at::NoGradGuard no_gradient;
  weight(model, name).copy_(value.expand_as(weight(model, name)));
}

TEST(GraphSurgeon, HasAsManyWeightsAsThePaperCounts) {
  // The biases are added: pre 2D + 2K, post 2D + 2K.
  const int64_t f = 5, d = 4, k = 3;
  EXPECT_EQ(
      GraphSurgeon(f, model_options(AugmentMode::pre), kDouble, Random(1)).parameters().count(),
      2 * f * d + d * k + k * k + 2 * d + 2 * k);
  EXPECT_EQ(
      GraphSurgeon(f, model_options(AugmentMode::post), kDouble, Random(1)).parameters().count(),
      f * d + d * d + 2 * d * k + 2 * d + 2 * k);
}

TEST(GraphSurgeon, SameSeedSameParametersAndHeadsDiffer) {
  const GraphSurgeon a(5, model_options(AugmentMode::pre), kDouble, Random(3)),
      b(5, model_options(AugmentMode::pre), kDouble, Random(3)),
      c(5, model_options(AugmentMode::pre), kDouble, Random(4));
  for (size_t i = 0; i < a.parameters().weights().size(); ++i)
    EXPECT_TRUE(at::equal(a.parameters().weights()[i].tensor, b.parameters().weights()[i].tensor));
  EXPECT_FALSE(at::equal(weight(a, "heads.first.weight"), weight(c, "heads.first.weight")));
  EXPECT_FALSE(at::equal(weight(a, "heads.first.weight"), weight(a, "heads.second.weight")));
}

TEST(GraphSurgeon, SameMasksSameViewsOtherMasksOthers) {
  for (const AugmentMode mode : {AugmentMode::pre, AugmentMode::post}) {
    const GraphSurgeon model(5, model_options(mode, 0.5), kDouble, Random(3));
    const Batch batch = small_batch(model.options());
    EXPECT_TRUE(at::equal(model.views(batch, true, Random(1)).first(),
                          model.views(batch, true, Random(1)).first()));
    EXPECT_FALSE(at::equal(model.views(batch, true, Random(1)).first(),
                           model.views(batch, true, Random(2)).first()));
    EXPECT_TRUE(at::equal(model.views(batch, false, Random(1)).first(),
                          model.views(batch, false, Random(2)).first()));
  }
}

// The whole model with dropout: the gradient uses the same mask.
TEST(GraphSurgeon, GradientsOfTheWholeLoss) {
  for (const AugmentMode mode : {AugmentMode::pre, AugmentMode::post})
    for (const bool asymmetric : {false, true})
      for (const Constraint form : {Constraint::columns, Constraint::rows, Constraint::scaled}) {
        ModelOptions options = model_options(mode, 0.2);
        options.asymmetric = asymmetric;
        const GraphSurgeon model(5, options, kDouble, Random(3));
        const Batch batch = small_batch(options);
        const LossOptions loss{.similarity_weight = "10", .constraint = form};
        SCOPED_TRACE(fmt::format("mode {}, asymmetric {}, form {}", static_cast<int>(mode),
                                 asymmetric, static_cast<int>(form)));
        test::expect_gradients(
            [&] { return model.loss(model.views(batch, true, Random(5)), loss).total; },
            model.parameters().weights(), 2e-6);
      }
}

TEST(GraphSurgeon, AsymmetricPredictsFromTheLeftAndEmbedsBeforeIt) {
  ModelOptions options = model_options(AugmentMode::pre);
  options.asymmetric = true;
  const GraphSurgeon model(5, options, kDouble, Random(3));
  EXPECT_EQ(model.options().norm, NormKind::batch);
  const Batch batch = small_batch(options);
  const LossOptions loss;
  const Views before = model.views(batch, false, Random(1));
  const double with = model.loss(before, loss).total.item<double>();
  fill(model, "predictor.1.weight", -weight(model, "predictor.1.weight"));
  const Views after = model.views(batch, false, Random(1));
  EXPECT_TRUE(at::equal(before.first(), after.first()))
      << "the predictor is no part of the embedding";
  EXPECT_NE(model.loss(after, loss).total.item<double>(), with) << "but of the loss";
}

TEST(GraphSurgeon, IsolatedNodesAndZeroRowsGiveFiniteGradients) {
  for (const AugmentMode mode : {AugmentMode::pre, AugmentMode::post})
    for (const auto kind : {"gcn", "sage"})
      for (const NormKind norm : {NormKind::none, NormKind::batch, NormKind::layer}) {
        ModelOptions options = model_options(mode);
        options.encoder = kind, options.norm = norm;
        const GraphSurgeon model(5, options, kDouble, Random(3));
        for (const char* name : {"heads.first.bias", "heads.second.bias"})
          fill(model, name, at::zeros({1}, at::kDouble));
        const Batch batch{at::zeros({7, 5}, at::kDouble), small_batch(options).adjacency};
        const Views views = model.views(batch, true, Random(1));
        const Loss loss = model.loss(views, {});
        loss.total.backward();
        EXPECT_TRUE(at::isfinite(views.both).all().item<bool>());
        EXPECT_TRUE(at::isfinite(loss.total).item<bool>());
        for (const auto& [name, tensor] : model.parameters().weights())
          EXPECT_TRUE(!tensor.grad().defined() || at::isfinite(tensor.grad()).all().item<bool>())
              << name;
      }
}

TEST(Combine, ByHand) {
  const Views views =
      Views::of(at::tensor({1., 2.}).view({1, 2}), at::tensor({3., 6.}).view({1, 2}));
  EXPECT_TRUE(
      at::equal(combine(views, Combine::concat), at::tensor({1., 2., 3., 6.}).view({1, 4})));
  EXPECT_TRUE(at::equal(combine(views, Combine::mean), at::tensor({2., 4.}).view({1, 2})));
  EXPECT_TRUE(at::equal(combine(views, Combine::sum), at::tensor({4., 8.}).view({1, 2})));
  EXPECT_TRUE(at::equal(combine(views, Combine::first), at::tensor({1., 2.}).view({1, 2})));
}

// Makes masks visible: on a graph without edges the normalized adjacency is the identity, so that
// with W = 0 and bias 1 a layer shows its own mask, and with W = I the product of its mask and
// those before it.
class Masks : public testing::Test {
 protected:
  static constexpr int64_t kNodes = 400, kWidth = 24;

  static GraphSurgeon make(AugmentMode mode) {
    ModelOptions options = model_options(mode, 0.5);
    options.aug_dim = options.dim = kWidth;
    options.layers = 1;
    return GraphSurgeon(kWidth, options, kDouble, Random(3));
  }
  static void show(const GraphSurgeon& model, const std::string& weight_name,
                   const std::string& bias_name, bool through) {
    fill(model, weight_name, through ? at::eye(kWidth, at::kDouble) : at::zeros({1}, at::kDouble));
    fill(model, bias_name, at::full({1}, through ? 0.0 : 1.0, at::kDouble));
  }
  static void show_heads(const GraphSurgeon& model, bool through) {
    for (const std::string name : {"heads.first", "heads.second"})
      show(model, name + ".weight", name + ".bias", through);
  }
  static void show_encoder(const GraphSurgeon& model, bool through) {
    show(model, "encoder.layers.0.lin.weight", "encoder.layers.0.bias", through);
  }
  struct Pair {
    at::Tensor first, second;  // what was kept
  };
  static Pair kept(const GraphSurgeon& model) {
    const at::NoGradGuard no_gradient;
    const Batch batch{at::ones({kNodes, kWidth}, at::kDouble),
                      gcn_operator(test::graph(kNodes, {}), kDouble)};
    const Views views = model.views(batch, true, Random(9));
    return {views.first() != 0, views.second() != 0};
  }
  // Among the elements that `where` selects, as many agree as with two independent coins.
  static void expect_independent(const at::Tensor& a, const at::Tensor& b,
                                 const at::Tensor& where) {
    const double n = where.sum().item<double>();
    EXPECT_NEAR(((a == b) & where).sum().item<double>(), n / 2, 4 * std::sqrt(n) / 2);
  }
  const at::Tensor everywhere_ = at::ones({kNodes, kWidth}, at::kBool);
};

TEST_F(Masks, PreHasOneForEachHeadAndForEachViewsPass) {
  const GraphSurgeon model = make(AugmentMode::pre);
  show_encoder(model, false);
  const Pair encoder = kept(model);
  expect_independent(encoder.first, encoder.second, everywhere_);
  show_encoder(model, true);
  show_heads(model, false);
  const Pair both = kept(model);
  EXPECT_FALSE((both.first & ~encoder.first).any().item<bool>())
      << "the encoder's mask comes after the head's";
  // Where both encoder masks keep an element, the heads' own masks are visible.
  expect_independent(both.first, both.second, encoder.first & encoder.second);
  expect_independent(both.first, encoder.second, encoder.first);
}

TEST_F(Masks, PostHasOneForEachHeadAndASharedOneForTheEncoder) {
  const GraphSurgeon model = make(AugmentMode::post);
  show_heads(model, false);
  const Pair heads = kept(model);
  expect_independent(heads.first, heads.second, everywhere_);
  show_heads(model, true);
  show_encoder(model, false);
  const Pair both = kept(model);
  const at::Tensor seen = heads.first & heads.second;
  EXPECT_TRUE(at::equal(both.first & seen, both.second & seen)) << "one pass, one mask";
  expect_independent(both.first, everywhere_, heads.first);  // and it is a mask: half is dropped
}

TEST_F(Masks, EachEncoderLayerHasItsOwn) {
  ModelOptions options = model_options(AugmentMode::post, 0.5);
  options.aug_dim = options.dim = kWidth;
  options.skip = Skip::none;
  const GraphSurgeon model(kWidth, options, kDouble, Random(3));
  show_heads(model, false);
  const Pair heads = kept(model);
  show_heads(model, true);
  show(model, "encoder.layers.1.lin.weight", "encoder.layers.1.bias", false);
  const Pair last = kept(model);
  show(model, "encoder.layers.1.lin.weight", "encoder.layers.1.bias", true);
  show(model, "encoder.layers.0.lin.weight", "encoder.layers.0.bias", false);
  const Pair both = kept(model);
  expect_independent(both.first, everywhere_, last.first & heads.first);
}

TEST_F(Masks, DropoutKeepsTheMean) {
  const GraphSurgeon model = make(AugmentMode::pre);
  show_encoder(model, true);
  show_heads(model, true);
  const at::NoGradGuard no_gradient;
  const Batch batch{at::ones({kNodes, kWidth}, at::kDouble),
                    gcn_operator(test::graph(kNodes, {}), kDouble)};
  const Views views = model.views(batch, true, Random(9));
  // Each element is 4 with chance 1/4: variance 3.
  EXPECT_NEAR(views.first().mean().item<double>(), 1, 4 * std::sqrt(3.0 / (kNodes * kWidth)));
}

}  // namespace
}  // namespace gs
