// Supervised methods against PyTorch and PyTorch Geometric, and our kernels against plain
// operations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "method/method.h"
#include "support/golden_steps.h"
#include "support/labeled.h"
#include "support/torch_threads.h"
#include "train/adam.h"

namespace gs::test {
namespace {

struct Case {
  RunOptions options;
  Dataset data;
  Split split;
  Tensors values;
};

template <class T>
std::vector<T> numbers(const at::Tensor& values) {
  const at::Tensor flat = values.reshape({-1});
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

Case read_case(const std::string& name) {
  const Golden golden("classifiers", name);
  Case out;
  out.values = golden.values;
  OptionList list;
  out.options.describe(list);
  list.set_json(golden.options, name, true);
  const at::Tensor &x = out.values.at("features"), &labels = out.values.at("labels");
  out.data.graph = graph_of(out.values);
  out.data.features = {DenseMatrix{x.size(0), x.size(1), numbers<float>(x)}};
  Labels& known = out.data.labels;
  known.task = labels.dim() == 2 ? Task::multilabel : Task::multiclass;
  known.classes = 3;
  if (labels.dim() == 2) known.multi = numbers<uint8_t>(labels);
  else known.single = numbers<int32_t>(labels);
  out.split.train = numbers<int32_t>(out.values.at("train"));
  return out;
}

std::unique_ptr<Method> make(const Case& c, const Device& device) {
  return make_method({c.data.features.width(), c.data.labels.task, c.data.labels.classes, c.options,
                      device, Random(1)});
}

// Every array of the case that the method should reproduce.
void follow(const Case& c, const Device& device, Differences& differences) {
  const TorchThreads one(1);
  const auto expected = [&](const std::string& key) { return c.values.at(key); };
  const auto method = make(c, device);
  set_values(method->parameters(), c.values, "initial.");
  method->prepare(c.data, &c.split);
  Batch batch = whole_graph(c.data, c.options.model.encoder, device);
  if (method->first_width() > 0) aggregate_features(batch, method->first_width());
  Adam adam(method->parameters(), {.lr = 0.01, .weight_decay = 5e-4});
  std::vector<double> losses;
  for (int step = 0; step < kSteps; ++step) {
    const Loss loss = method->loss(batch, {Random(step)});
    method->parameters().zero_gradients();
    loss.total.backward();
    losses.push_back(loss.total.item<double>());
    if (step == 0) {
      differences.compare("loss", loss.total, expected("loss"));
      for (const auto& [name, weight] : method->parameters().weights())
        differences.compare("gradient." + name, weight.grad(), expected("gradient." + name));
      if (c.options.method.method != "pprgo")  // whose training sums over the top k only
        differences.compare("logits",
                            method->output(batch).index_select(0, expected("train").to(at::kLong)),
                            expected("logits"));
    }
    adam.step();
  }
  compare_trained(*method, batch, losses, c.values, differences);
}

// PageRank scores are stored as floats.
double precision(const Case& c) { return c.options.method.method == "pprgo" ? 1e-6 : 1e-9; }

class ClassifierCase : public testing::TestWithParam<std::string> {};

TEST_P(ClassifierCase, IsFollowedInDouble) {
  const Case c = read_case(GetParam());
  Differences differences(Differences::Measure::element, precision(c));
  follow(c, kDouble, differences);
  EXPECT_THAT(differences.found(), testing::IsEmpty());
}

// A softmax does not depend on a constant added to its whole row, so the gradient of the targets'
// scores is a sum of numbers that nearly cancel: only doubles can represent it.
auto cancelled_in_float() { return testing::HasSubstr("gradient.encoder.layers.1.att_dst"); }

TEST_P(ClassifierCase, IsFollowedInFloat) {
  Differences differences(Differences::Measure::norm, 1e-4);
  follow(read_case(GetParam()), kFloat, differences);
  EXPECT_THAT(differences.found(), testing::Each(cancelled_in_float()));
}

TEST_P(ClassifierCase, IsFollowedByTheNativeKernels) {
  Differences differences(Differences::Measure::norm, 1e-4);
  follow(read_case(GetParam()), kNative, differences);
  EXPECT_THAT(differences.found(), testing::Each(cancelled_in_float()));
}

INSTANTIATE_TEST_SUITE_P(Of, ClassifierCase, testing::ValuesIn(golden_cases("classifiers")),
                         [](const auto& info) { return info.param; });

TEST(ClassifierGolden, HasACaseOfEveryForm) {
  std::set<std::string> seen;
  for (const std::string& name : golden_cases("classifiers")) {
    const Case c = read_case(name);
    seen.insert(c.options.method.method);
    seen.insert(std::string(task_name(c.data.labels.task)));
    if (c.data.graph.weighted()) seen.insert("weighted");
    if (!c.data.graph.symmetric) seen.insert("directed");
  }
  EXPECT_THAT(seen, testing::IsSupersetOf({"gcn", "graphsage", "gat", "pprgo", "mcc", "mlc",
                                           "weighted", "directed"}));
}

TEST(ClassifierGolden, NoticesEveryChangedNumber) {
  const Case c = read_case("gat");
  Differences untouched(Differences::Measure::element, 1e-9);
  follow(c, kDouble, untouched);
  ASSERT_THAT(untouched.found(), testing::IsEmpty());
  for (const std::string& name : untouched.compared()) {
    Case changed = c;
    at::Tensor value = c.values.at(name).clone();
    value.view({-1})[value.numel() - 1] += 1e-7 * std::max(1.0, value.abs().max().item<double>());
    changed.values[name] = value;
    Differences differences(Differences::Measure::element, 1e-9);
    follow(changed, kDouble, differences);
    EXPECT_THAT(differences.found(), testing::ElementsAre(name));
  }
}

// Laws of every supervised method, on a small graph.
class LearnsFromLabels : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Method> method(const Dataset& data, const RunOptions& options,
                                 const Device& device) const {
    return make_method(
        {data.features.width(), data.labels.task, data.labels.classes, options, device, Random(3)});
  }
  RunOptions options() const { return labeled_call(GetParam(), "", 1).options; }
  static Split split() {
    Split out;
    for (int32_t v = 0; v < 200; v += 5) out.train.push_back(v), out.val.push_back(v + 1);
    return out;
  }
};

TEST_P(LearnsFromLabels, OurKernelsAndPlainOnesAgreeWithDropout) {
  const Dataset data = labeled_graph();
  const Split known = split();
  at::Tensor totals[2], outputs[2];
  std::vector<at::Tensor> gradients[2];
  for (const int native : {0, 1}) {
    const auto m = method(data, options(), native ? kNative : kDouble);
    m->prepare(data, &known);
    const Batch batch = whole_graph(data, options().model.encoder, m->parameters().device());
    const Loss loss = m->loss(batch, {Random(7)});
    loss.total.backward();
    totals[native] = loss.total.detach().to(at::kDouble);
    outputs[native] = m->embed(batch).to(at::kDouble);
    for (const auto& [name, weight] : m->parameters().weights())
      gradients[native].push_back(weight.grad().to(at::kDouble));
  }
  EXPECT_LT(relative_distance(totals[1], totals[0]), 1e-5);
  EXPECT_LT(relative_distance(outputs[1], outputs[0]), 1e-5);
  ASSERT_EQ(gradients[0].size(), gradients[1].size());
  for (size_t i = 0; i < gradients[0].size(); ++i)
    EXPECT_LT(relative_distance(gradients[1][i], gradients[0][i]), 1e-4) << i;
}

TEST_P(LearnsFromLabels, EmbeddingsAreTheForwardWithoutNoise) {
  const Dataset data = labeled_graph(5000);  // more than one block of rows
  const auto m = method(data, options(), kNative);
  const Batch batch = whole_graph(data, options().model.encoder, kNative);
  EXPECT_LT(relative_distance(m->output(batch), m->embed(batch).to(at::kDouble)), 1e-6);
  EXPECT_EQ(m->embed(batch).size(1), 3);
}

TEST_P(LearnsFromLabels, OtherLabelsAreNeverRead) {
  const Dataset data = labeled_graph();
  Dataset other = data;
  const Split known = split();
  std::vector<int32_t> labels(other.labels.single.begin(), other.labels.single.end());
  for (int32_t v = 0; v < 200; ++v)
    if (v % 5 != 0) labels[static_cast<size_t>(v)] = -1;
  other.labels.single = labels;
  Dataset changed = data;  // proves that a training label matters
  labels[0] = (labels[0] + 1) % 3;
  changed.labels.single = labels;
  const auto loss_of = [&](const Dataset& d) {
    const auto m = method(d, options(), kNative);
    m->prepare(d, &known);
    return m->loss(whole_graph(d, options().model.encoder, kNative), {Random(7)})
        .total.item<double>();
  };
  EXPECT_EQ(loss_of(data), loss_of(other));
  EXPECT_NE(loss_of(data), loss_of(changed));
}

INSTANTIATE_TEST_SUITE_P(Of, LearnsFromLabels,
                         testing::Values("gcn", "graphsage", "gat", "clustergcn", "graphsaint",
                                         "pprgo"),
                         [](const auto& info) { return info.param; });

std::string refusal(const std::function<void(RunOptions&)>& change, const std::string& name) {
  RunOptions options = labeled_call(name, "", 1).options;
  change(options);
  try {
    make_method({12, Task::multiclass, 3, options, kNative, Random(1)});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return {};
}

TEST(Classifier, OptionsThatMakeNoEncoderAreErrors) {
  EXPECT_THAT(refusal([](RunOptions& o) { o.method.hidden = 9; }, "gat"),
              testing::HasSubstr("2 heads"));
  EXPECT_THAT(refusal([](RunOptions& o) { o.model.skip = Skip::sum; }, "gcn"),
              testing::HasSubstr("one width"));
  EXPECT_THAT(refusal([](RunOptions& o) { o.model.encoder = "gcn"; }, "pprgo"),
              testing::HasSubstr("mean"));
}

}  // namespace
}  // namespace gs::test
