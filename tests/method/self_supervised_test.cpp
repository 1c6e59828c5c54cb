// The self-supervised baselines: what PyTorch computes for them, and laws that hold for each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/generate/generate.h"
#include "method/bgrl.h"
#include "method/dgi.h"
#include "method/gca.h"
#include "method/mvgrl.h"
#include "support/golden_steps.h"
#include "support/graphs.h"
#include "support/torch_threads.h"
#include "train/adam.h"

namespace gs::test {
namespace {

struct Case {
  RunOptions options;
  Dataset data;
  Tensors values;
  std::vector<std::string> canceled;
};

Case read_case(const std::string& name) {
  const Golden golden("self_supervised", name);
  Case out;
  out.values = golden.values, out.canceled = golden.canceled;
  describe(out.options).set_json(golden.options, name, true);
  const at::Tensor x = out.values.at("features").to(at::kFloat).contiguous();
  out.data.graph = graph_of(out.values);
  out.data.features.matrix = DenseMatrix{
      x.size(0), x.size(1),
      std::vector<float>(x.const_data_ptr<float>(), x.const_data_ptr<float>() + x.numel())};
  return out;
}

Loss loss_of(Method& method, const Case& c, const Batch& batch, const Step& step) {
  const auto& device = method.parameters().device();
  if (auto* two = dynamic_cast<TwoViewMethod*>(&method)) {
    const auto view = [&](const std::string& number) {
      const Csr graph = graph_of(c.values, "edges" + number);
      return View{batch.features.masked(c.values.at("mask" + number).to(device.options())),
                  adjacency_for("gcn", graph, device)};
    };
    return two->loss(batch, {view("1"), view("2")}, step);
  }
  const at::Tensor order = c.values.at("order").to(at::kLong);
  if (const auto* dgi = dynamic_cast<Dgi*>(&method)) return dgi->loss(batch, order, step.random);
  return dynamic_cast<Mvgrl&>(method).loss(batch, order, step.random);
}

void follow(const Case& c, const Device& device, Differences& differences) {
  const TorchThreads one(1);
  const auto expected = [&](const std::string& key) { return c.values.at(key); };
  const auto canceled = [&](const std::string& name) {
    return std::count(c.canceled.begin(), c.canceled.end(), name) > 0;
  };
  const auto method =
      make_method({c.data.features.width(), Task::none, 0, c.options, device, Random(1)});
  set_values(method->parameters(), c.values, "initial.");
  const Batch batch = whole_graph(c.data, "gcn", device);
  Adam adam(method->parameters(), {.lr = 0.01});
  std::vector<double> losses;
  for (int i = 0; i < kSteps; ++i) {
    const Step step{Random(i), i, kSteps};
    const Loss loss = loss_of(*method, c, batch, step);
    method->parameters().zero_gradients();
    loss.total.backward();
    losses.push_back(loss.total.item<double>());
    if (i == 0) {
      differences.compare("loss", loss.total, expected("loss"));
      for (const auto& [name, weight] : method->parameters().weights())
        if (!canceled(name))
          differences.compare("gradient." + name, weight.grad(), expected("gradient." + name));
    }
    for (const auto& [name, weight] : method->parameters().weights())
      if (canceled(name)) weight.grad().zero_();
    adam.step();
    method->after(step);
  }
  compare_trained(*method, batch, losses, c.values, differences);
}

class SelfSupervisedGolden : public testing::TestWithParam<std::string> {};

TEST_P(SelfSupervisedGolden, IsFollowedInDouble) {
  // The diffusion's values are floats.
  const bool diffusion = GetParam() == "mvgrl";
  Differences differences(Differences::Measure::element, diffusion ? 1e-5 : 1e-9);
  follow(read_case(GetParam()), kDouble, differences);
  EXPECT_THAT(differences.found(), testing::IsEmpty());
}

TEST_P(SelfSupervisedGolden, IsFollowedInFloatAndByTheNativeKernels) {
  for (const Device& device : {kFloat, kNative}) {
    Differences differences(Differences::Measure::norm, 1e-3);
    follow(read_case(GetParam()), device, differences);
    EXPECT_THAT(differences.found(), testing::IsEmpty()) << (device.native ? "native" : "plain");
  }
}

TEST_P(SelfSupervisedGolden, NoticesChangedInputs) {
  const Case golden = read_case(GetParam());
  for (const auto& [name, tensor] : golden.values) {
    if (!name.starts_with("initial.") || name.find("running") != std::string::npos) continue;
    const std::string weight = name.substr(8);
    if (std::count(golden.canceled.begin(), golden.canceled.end(), weight) > 0) continue;
    if (weight.starts_with("target.layers.") && weight.ends_with("bias")) continue;  // as canceled
    Case changed = golden;
    at::Tensor value = tensor.clone();
    value.view({-1})[0] += 0.05;
    changed.values[name] = value;
    Differences differences(Differences::Measure::element, 1e-5);
    follow(changed, kDouble, differences);
    EXPECT_THAT(differences.found(), testing::Not(testing::IsEmpty())) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, SelfSupervisedGolden,
                         testing::ValuesIn(golden_cases("self_supervised")), [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

Dataset sbm(int64_t nodes, FeatureKind kind = FeatureKind::words) {
  GenerateOptions options;
  options.nodes = nodes, options.classes = 3, options.features = 40, options.seed = 5;
  options.feature_kind = kind;
  return generate(options);
}

RunOptions options_of(const std::string& method) {
  RunOptions options;
  OptionList list = describe(options);
  list.find_option("method")->set(method, "");
  options.resolve(list, "", "");
  options.model.dim = 12, options.method.hidden = 16;
  options.method.projection_dim = 8, options.method.predictor_dim = 10;
  return options;
}

class SelfSupervised : public testing::TestWithParam<std::string> {};

// With every drop and mask on: both kinds of kernels see the same views.
TEST_P(SelfSupervised, NativeKernelsAndPlainOnesAgree) {
  const Dataset data = sbm(150);
  const RunOptions options = options_of(GetParam());
  std::vector<at::Tensor> losses, embeddings;
  for (const Device& device : {kFloat, kNative}) {
    const auto method =
        make_method({data.features.width(), Task::none, 0, options, device, Random(1)});
    method->prepare(data, nullptr);
    const Batch batch = whole_graph(data, options.model.encoder, device);
    Adam adam(method->parameters(), {.lr = 0.005});
    for (int i = 0; i < 3; ++i) {
      const Step step{Random(7).fork("step", i), i, 3};
      const Loss loss = method->loss(batch, step);
      method->parameters().zero_gradients();
      loss.total.backward();
      adam.step();
      method->after(step);
      losses.push_back(loss.total.detach());
    }
    embeddings.push_back(method->embed(batch));
    EXPECT_TRUE(at::allclose(method->output(batch), embeddings.back(), 1e-4, 1e-5));
  }
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(at::allclose(losses[i], losses[3 + i], 1e-3)) << i;
  // Adam's first steps follow the sign of a gradient, however small it is.
  EXPECT_LT(relative_distance(embeddings[1], embeddings[0].to(at::kDouble)), 5e-2);
}

TEST_P(SelfSupervised, TheSameStepTwiceIsTheSameAndAnotherIsNot) {
  const Dataset data = sbm(80);
  const RunOptions options = options_of(GetParam());
  const auto method =
      make_method({data.features.width(), Task::none, 0, options, kDouble, Random(1)});
  method->prepare(data, nullptr);
  const Batch batch = whole_graph(data, options.model.encoder, kDouble);
  const double first = method->loss(batch, {Random(1)}).total.item<double>();
  EXPECT_DOUBLE_EQ(method->loss(batch, {Random(1)}).total.item<double>(), first);
  EXPECT_NE(method->loss(batch, {Random(2)}).total.item<double>(), first);
}

INSTANTIATE_TEST_SUITE_P(Method, SelfSupervised,
                         testing::Values("dgi", "mvgrl", "gca", "grace", "bgrl", "cca-ssg"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Gca, ContrastsAnchorsAboveTheExactSizeAndSaysSo) {
  const Dataset large = sbm(Gca::kExactNodes + 100), small = sbm(100);
  RunOptions options = options_of("grace");
  options.method.anchors = 50;
  options.method.edge_drop = options.method.edge_drop_2 = 0;
  options.method.feature_mask = options.method.feature_mask_2 = 0;
  Gca method({large.features.width(), Task::none, 0, options, kNative, Random(1)});
  method.prepare(small, nullptr);
  EXPECT_EQ(method.note(), "");
  method.prepare(large, nullptr);
  EXPECT_THAT(method.note(), testing::HasSubstr("contrasts 50"));
  const Batch batch = whole_graph(large, "gcn", kNative);
  // The loss contrasts 50 nodes with 99 others, not 8292 with twice as many.
  EXPECT_LT(method.loss(batch, {Random(1)}).total.item<double>(), std::log(100) + 1);
  EXPECT_NE(method.loss(batch, {Random(1)}).total.item<double>(),
            method.loss(batch, {Random(2)}).total.item<double>())
      << "drawn again in each step";
}

TEST(Bgrl, TheTargetStartsAsTheOnlineEncoderAndGetsNoGradient) {
  const RunOptions options = options_of("bgrl");
  Bgrl method({40, Task::none, 0, options, kDouble, Random(1)});
  int64_t targets = 0;
  for (const auto& [name, tensor] : method.parameters().buffers()) {
    EXPECT_FALSE(tensor.requires_grad()) << name;
    if (!name.starts_with("target.") || name.find("running") != std::string::npos) continue;
    ++targets;
    for (const auto& [other, weight] : method.parameters().weights())
      if (other == "encoder." + name.substr(7)) {
        EXPECT_TRUE(at::equal(weight, tensor)) << name;
      }
  }
  EXPECT_EQ(targets, 2 * (2 + 2 + 1));  // weight, bias; gain, shift; slope; of two layers
}

TEST(Reference, RowsAreTheFeaturesAndTheirTwoHops) {
  for (const FeatureKind kind : {FeatureKind::words, FeatureKind::dense}) {
    const Dataset data = sbm(60, kind);
    const Batch batch = whole_graph(data, "gcn", kNative);
    const auto rows = [&](const char* name) {
      const RunOptions options = options_of(name);
      const auto method =
          make_method({data.features.width(), Task::none, 0, options, kNative, Random(1)});
      EXPECT_EQ(method->parameters().count(), 0);
      return method->embed(batch);
    };
    const at::Tensor x =
        batch.features.sparse() ? batch.features.times(at::eye(40)) : batch.features.dense();
    EXPECT_TRUE(at::equal(rows("raw"), x));
    const SparseOperator& a = batch.adjacency.layer(0);
    EXPECT_TRUE(at::allclose(rows("smoothed"), a.apply(a.apply(x)), 1e-5, 1e-6));
  }
}

}  // namespace
}  // namespace gs::test
