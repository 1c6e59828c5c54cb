// Forward, loss terms, every gradient and ten Adam steps against PyTorch and PyTorch Geometric.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "method/graphsurgeon.h"
#include "nn/inference.h"
#include "support/golden_steps.h"
#include "support/torch_threads.h"
#include "train/adam.h"

namespace gs::test {
namespace {

struct Case {
  ModelOptions model;
  LossOptions loss;
  Csr graph;
  Tensors values;
  std::vector<std::string> canceled;
};

Case read_case(const std::string& name) {
  const Golden golden("graphsurgeon", name);
  Case out{{}, {}, graph_of(golden.values), golden.values, golden.canceled};
  OptionList list;
  out.model.describe(list);
  out.loss.describe(list);
  list.set_json(golden.options, name, true);
  return out;
}

// Every array of the case that the model should reproduce.
void follow(const Case& golden, const Device& device, Differences& differences) {
  const TorchThreads one(1);
  const auto expected = [&](const std::string& key) { return golden.values.at(key); };
  const auto canceled = [&](const std::string& name) {
    return std::count(golden.canceled.begin(), golden.canceled.end(), name) > 0;
  };
  const at::Tensor features = expected("features").to(device.options());
  GraphSurgeon model(features.size(1), golden.model, device, Random(1));
  set_values(model.parameters(), golden.values, "initial.");
  const Batch batch{features, adjacency_for(golden.model.encoder, golden.graph, device)};
  Adam adam(model.parameters(), {.lr = 0.01});

  std::vector<double> losses;
  for (int step = 0; step < kSteps; ++step) {
    const Views views = model.views(batch, true, Random(step));
    const Loss loss = model.loss(views, golden.loss);
    model.parameters().zero_gradients();
    loss.total.backward();
    losses.push_back(loss.total.item<double>());
    if (step == 0) {
      differences.compare("z1", views.first(), expected("z1"));
      differences.compare("z2", views.second(), expected("z2"));
      differences.compare("loss", loss.total, expected("loss"));
      differences.compare("terms",
                          at::tensor({loss.terms[0].second, loss.terms[1].second}, at::kDouble),
                          expected("terms"));
      for (const auto& [name, weight] : model.parameters().weights())
        if (device.dtype == at::kDouble || !canceled(name))  // rounding noise has no relative error
          differences.compare("gradient." + name, weight.grad(), expected("gradient." + name));
    }
    for (const auto& [name, weight] : model.parameters().weights())
      if (canceled(name)) weight.grad().zero_();
    adam.step();
  }
  compare_trained(model, batch, losses, golden.values, differences);
}

class GoldenCase : public testing::TestWithParam<std::string> {};

TEST_P(GoldenCase, IsFollowedInDouble) {
  Differences differences(Differences::Measure::element, 1e-9);
  follow(read_case(GetParam()), kDouble, differences);
  EXPECT_THAT(differences.found(), testing::IsEmpty());
}

TEST_P(GoldenCase, IsFollowedInFloat) {
  Differences differences(Differences::Measure::norm, 1e-4);
  follow(read_case(GetParam()), kFloat, differences);
  EXPECT_THAT(differences.found(), testing::IsEmpty());
}

TEST_P(GoldenCase, IsFollowedByTheNativeKernels) {
  Differences differences(Differences::Measure::norm, 1e-4);
  follow(read_case(GetParam()), kNative, differences);
  EXPECT_THAT(differences.found(), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Of, GoldenCase, testing::ValuesIn(golden_cases("graphsurgeon")),
                         [](const auto& info) { return info.param; });

TEST(Golden, HasACaseOfEveryForm) {
  std::set<std::string> seen;
  for (const std::string& name : golden_cases("graphsurgeon")) {
    Case golden = read_case(name);
    OptionList list;
    golden.model.describe(list);
    golden.loss.describe(list);
    for (const auto& option : list.options()) seen.insert(option.name + "=" + option.text());
    if (golden.graph.weighted()) seen.insert("weighted");
    if (!golden.graph.symmetric) seen.insert("directed");
  }
  for (const char* form : {"mode=pre",
                           "mode=post",
                           "constraint=columns",
                           "constraint=rows",
                           "constraint=scaled",
                           "constraint=naive",
                           "similarity-weight=1000",
                           "similarity-weight=sum",
                           "similarity-weight=element",
                           "skip=sum",
                           "skip=linear",
                           "skip=none",
                           "norm=none",
                           "norm=batch",
                           "norm=layer",
                           "encoder=gcn",
                           "encoder=sage",
                           "asymmetric=true",
                           "head-layers=2",
                           "layers=1",
                           "layers=3",
                           "weighted",
                           "directed"})
    EXPECT_TRUE(seen.contains(form)) << form;
}

// Proves that the comparison above can fail: one element of each array in turn is changed slightly.
TEST(Golden, NoticesEveryChangedNumber) {
  const Case golden = read_case("pre_asymmetric");
  Differences untouched(Differences::Measure::element, 1e-9);
  follow(golden, kDouble, untouched);
  ASSERT_THAT(untouched.found(), testing::IsEmpty());
  for (const std::string& name : untouched.compared()) {
    Case changed = golden;
    at::Tensor value = golden.values.at(name).clone();
    value.view({-1})[value.numel() - 1] += 1e-7 * std::max(1.0, value.abs().max().item<double>());
    changed.values[name] = value;
    Differences differences(Differences::Measure::element, 1e-9);
    follow(changed, kDouble, differences);
    EXPECT_THAT(differences.found(), testing::ElementsAre(name));
  }
}

TEST(Golden, NoticesChangedInputs) {
  const Case golden = read_case("post_weighted_loops");
  for (const auto& [name, tensor] : golden.values) {
    if (!name.starts_with("initial.") && name != "features") continue;
    Case changed = golden;
    at::Tensor value = tensor.clone();
    value.view({-1})[0] += 1e-3;
    changed.values[name] = value;
    Differences differences(Differences::Measure::element, 1e-9);
    follow(changed, kDouble, differences);
    EXPECT_THAT(differences.found(), testing::Contains("losses")) << name;
  }
}

TEST(Golden, AMissingOrNonFiniteResultDiffers) {
  Differences differences(Differences::Measure::norm, 1e-4);
  differences.compare("missing", at::Tensor(), at::ones({2}, at::kDouble));
  differences.compare("shape", at::ones({3}, at::kDouble), at::ones({2}, at::kDouble));
  differences.compare("nan", at::full({2}, NAN, at::kDouble), at::ones({2}, at::kDouble));
  differences.compare("equal", at::ones({2}, at::kDouble), at::ones({2}, at::kDouble));
  EXPECT_THAT(differences.found(), testing::ElementsAre("missing", "shape", "nan"));
}

}  // namespace
}  // namespace gs::test
