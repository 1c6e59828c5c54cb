#include "eval/inspect.h"

#include <ATen/core/grad_mode.h>

#include <gtest/gtest.h>

#include "dataset/generate/generate.h"

namespace gs {
namespace {

struct Case {
  Dataset data = generate({.nodes = 300, .classes = 3, .features = 12, .seed = 1});
  ModelOptions options;
  GraphSurgeon model;

  explicit Case(AugmentMode mode = AugmentMode::pre)
      : options([&] {
          ModelOptions o;
          o.mode = mode, o.aug_dim = 6, o.dim = 4, o.layers = 2, o.skip = Skip::none;
          return o;
        }()),
        model(12, options, Device{}, Random(1)) {}

  at::Tensor weight(const std::string& name) {
    for (const auto& w : model.parameters().weights())
      if (w.name == name) return w.tensor;
    throw std::runtime_error(name);
  }
  void set(const std::string& name, const at::Tensor& value) {
    const at::NoGradGuard no_gradient;
    weight(name).copy_(value);
  }
  void make_heads_equal() {
    for (const char* part : {"weight", "bias"})
      set(std::string("heads.second.") + part, weight(std::string("heads.first.") + part));
  }
  Insight look(int64_t worst = 5) {
    return inspect(model, whole_graph(data, options.encoder, Device{}), data.labels, worst);
  }
};

TEST(Inspect, EqualHeadsAgreeInEverything) {
  for (const AugmentMode mode : {AugmentMode::pre, AugmentMode::post}) {
    Case c(mode);
    c.make_heads_equal();
    const Insight found = c.look();
    EXPECT_NEAR(found.gain_correlation, 1, 1e-9);
    EXPECT_NEAR(found.weight_cosine, 1, 1e-6);
    EXPECT_NEAR(found.cka, 1, 1e-6);
    for (const double angle : found.angles) EXPECT_NEAR(angle, 0, 0.1);
    for (const float cosine : found.agreement) EXPECT_NEAR(cosine, 1, 1e-5);
  }
}

TEST(Inspect, HeadsThatReadOtherFeaturesAreAtRightAngles) {
  Case c;
  at::Tensor first = at::zeros({6, 12}), second = at::zeros({6, 12});
  first.slice(1, 0, 6).copy_(at::eye(6)), second.slice(1, 6, 12).copy_(2 * at::eye(6));
  c.set("heads.first.weight", first), c.set("heads.second.weight", second);
  const Insight found = c.look();
  ASSERT_EQ(found.angles.size(), 6);
  for (const double angle : found.angles) EXPECT_NEAR(angle, 90, 1e-6);
  EXPECT_NEAR(found.weight_cosine, 0, 1e-9);
  EXPECT_EQ(found.gains[7].first, 0);
  EXPECT_GT(found.gains[7].second, 0);
  EXPECT_LT(found.gain_correlation, 0);
  EXPECT_NEAR(found.heads[0].effective_rank, 6, 1e-6);
}

TEST(Inspect, NamesTheNodesThatDisagreeMost) {
  Case c;
  const Insight found = c.look(7);
  ASSERT_EQ(found.disagree.size(), 7);
  const float worst = *std::min_element(found.agreement.begin(), found.agreement.end());
  EXPECT_FLOAT_EQ(static_cast<float>(found.disagree[0].cosine), worst);
  for (size_t i = 1; i < 7; ++i) EXPECT_LE(found.disagree[i - 1].cosine, found.disagree[i].cosine);
}

TEST(Inspect, ClassesAddUpToTheGraph) {
  Case c;
  const Insight found = c.look();
  ASSERT_EQ(found.classes.size(), 3);
  int64_t nodes = 0;
  for (const ClassInsight& one : found.classes) nodes += one.nodes;
  EXPECT_EQ(nodes, 300);
  c.data.labels = {};
  EXPECT_TRUE(c.look().classes.empty());
}

TEST(Inspect, InPostModeFeaturesAreFollowedThroughTheEncoder) {
  Case c(AugmentMode::post);
  at::Tensor weight = c.weight("encoder.layers.0.lin.weight").detach().clone();
  weight.slice(1, 5, 6).zero_(), weight.slice(1, 3, 4).mul_(1000);
  c.set("encoder.layers.0.lin.weight", weight);
  const Insight found = c.look();
  EXPECT_FALSE(found.of_features);
  ASSERT_EQ(found.gains.size(), 12);
  EXPECT_EQ(found.gains[5].first, 0) << "the encoder does not read it";
  EXPECT_EQ(found.gains[5].second, 0);
  for (const FeatureGain& gain : found.gains)
    EXPECT_LE(gain.first, found.gains[3].first) << gain.feature;
}

TEST(Inspect, NamesTheFeaturesThatAHeadAddsUp) {
  Case c;
  at::Tensor weight = at::zeros({6, 12});
  weight.slice(1, 0, 6).copy_(at::eye(6));
  weight.slice(1, 6, 12).copy_(at::eye(6) * -2);  // each is the opposite of another
  c.set("heads.first.weight", weight);
  const Mixing found = c.look(4).mixing[0];
  ASSERT_EQ(found.closest.size(), 4);
  for (const Mixing::Pair& pair : found.closest) {
    EXPECT_GE(pair.feature, 6) << "the strongest are named";
    EXPECT_EQ(pair.with, pair.feature - 6);
    EXPECT_NEAR(pair.cosine, -1, 1e-9);
  }
  EXPECT_NEAR(found.features_each, 25.0 / 17, 1e-9);  // (1 + 4)^2 / (1 + 16)
}

TEST(Inspect, HeadsThatReadEverythingAreComparedByWhatTheyWrite) {
  Case c;
  c.options.aug_dim = 30;  // more than the 12 features
  GraphSurgeon wide(12, c.options, Device{}, Random(1));
  const Insight found = inspect(wide, whole_graph(c.data, c.options.encoder, Device{}), {}, 3);
  EXPECT_TRUE(found.angles_of_outputs);
  ASSERT_EQ(found.angles.size(), 12);
  EXPECT_GT(found.angles.back(), 45);
  c.options.aug_dim = 12;
  GraphSurgeon square(12, c.options, Device{}, Random(1));
  EXPECT_TRUE(
      inspect(square, whole_graph(c.data, c.options.encoder, Device{}), {}, 3).angles.empty());
}

TEST(Inspect, ANodeOfSeveralClassesCountsInEach) {
  Case c;
  c.data.labels = {Task::multilabel, 2, {}, {}};
  std::vector<uint8_t> table(600);
  for (size_t v = 0; v < 300; ++v) table[2 * v] = 1, table[2 * v + 1] = v < 100;
  c.data.labels.multi = std::move(table);
  const Insight found = c.look();
  ASSERT_EQ(found.classes.size(), 2);
  EXPECT_EQ(found.classes[0].nodes, 300);
  EXPECT_EQ(found.classes[1].nodes, 100);
}

}  // namespace
}  // namespace gs
