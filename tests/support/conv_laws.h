// What holds for every convolution of options/convolutions.h. A new one is tested by being listed.
// Long because every law of a convolution stands in one place.
#pragma once

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "nn/adjacency.h"
#include "nn/conv/conv.h"
#include "options/convolutions.h"
#include "support/gradients.h"
#include "support/graphs.h"

namespace gs::test {

// One layer and what it was made of. Input and output widths differ; two heads where there are any.
struct LoneConv {
  static constexpr int64_t kNodes = 9;
  Device device;
  Parameters parameters;
  std::unique_ptr<const Conv> conv;
  std::shared_ptr<const SparseOperator> adjacency;

  LoneConv(const ConvolutionInfo& info, const Device& on, int64_t inputs = 5, int64_t outputs = 6)
      : device(on), parameters(on, Random(4)) {
    conv = make_conv(info.name, {parameters, "conv", 1, inputs, outputs, info.attention ? 2 : 1,
                                 /*attention_dropout=*/0.3});
    adjacency = adjacency_for(info.name, graph(), on);
  }

  // The hub, one edge more, and node 8, which has none.
  static Csr graph() {
    std::vector<Edge> edges = hub_edges();
    edges.push_back({7, 1, 1});
    return weighted_graph(kNodes, edges);
  }

  // Rows of `views` views side by side, as a leaf.
  at::Tensor input(int64_t views = 1) const {
    return random_tensor({kNodes, views * conv->inputs()}, 5, false)
        .to(device.options())
        .set_requires_grad(true);
  }
  // A number, and the gradients of the input and of all weights.
  std::vector<at::Tensor> gradients(const at::Tensor& out, const at::Tensor& x) const {
    std::vector<at::Tensor> all{out.detach()};
    auto inputs = parameters.weights();
    inputs.push_back({"x", x});
    for (const auto& [name, tensor] : inputs) tensor.mutable_grad() = at::Tensor();
    (out * random_tensor(out.sizes(), 6, false).to(device.options())).sum().backward();
    for (const auto& [name, tensor] : inputs) {
      EXPECT_TRUE(tensor.grad().defined()) << name << " got no gradient";
      all.push_back(tensor.grad().defined() ? tensor.grad().clone() : at::zeros_like(tensor));
    }
    return all;
  }
};

inline void expect_all_close(const std::vector<at::Tensor>& found,
                             const std::vector<at::Tensor>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].sizes(), expected[i].sizes()) << "tensor " << i;
    const double scale = std::max(1.0, expected[i].abs().max().item<double>());
    EXPECT_LT((found[i] - expected[i]).abs().max().item<double>(), tolerance * scale)
        << "tensor " << i;
  }
}

// Weights are named after the layer, and depend on the seed and their names alone.
inline void expect_sound_weights(const ConvolutionInfo& info) {
  const LoneConv first(info, Device{}), again(info, Device{});
  EXPECT_EQ(first.conv->inputs(), 5);
  EXPECT_EQ(first.conv->outputs(), 6);
  ASSERT_FALSE(first.parameters.weights().empty());
  EXPECT_EQ(first.parameters.weights()[0].tensor.sizes(), (at::IntArrayRef{6, 5}))
      << "the messages' weight comes first: files and optimizers go by the order";
  for (size_t i = 0; i < first.parameters.weights().size(); ++i) {
    const auto& [name, tensor] = first.parameters.weights()[i];
    EXPECT_TRUE(name.starts_with("conv.")) << name;
    EXPECT_TRUE(at::equal(tensor, again.parameters.weights()[i].tensor)) << name;
  }
}

// Forward and gradients of the native kernels are those of the plain twin, with attention dropout.
inline void expect_conv_twins(const ConvolutionInfo& info) {
  for (const int views : {1, 2})
    for (const auto& [inputs, outputs] : {std::pair{5, 6}, {40, 6}}) {
      SCOPED_TRACE(fmt::format("{} views, {} to {}", views, inputs, outputs));
      const LoneConv native(info, {at::kCPU, at::kFloat, true}, inputs, outputs),
          plain(info, {at::kCPU, at::kFloat, false}, inputs, outputs);
      const Pass pass{true, 0, Random(7), views};
      const auto run = [&](const LoneConv& c) {
        const at::Tensor x = c.input(views);
        return c.gradients(c.conv->forward(x, *c.adjacency, pass), x);
      };
      expect_all_close(run(native), run(plain), 1e-4);
    }
}

inline void expect_conv_gradients(const ConvolutionInfo& info) {
  const LoneConv c(info, {at::kCPU, at::kDouble});
  for (const int views : {1, 2}) {
    const at::Tensor x = c.input(views),
                     factor = random_tensor({c.kNodes, views * c.conv->outputs()}, 6, false);
    const Pass pass{true, 0, Random(7), views};
    auto inputs = c.parameters.weights();
    inputs.push_back({"x", x});
    expect_gradients([&] { return (c.conv->forward(x, *c.adjacency, pass).tanh() * factor).sum(); },
                     inputs, 1e-6);
  }
}

// The steps over blocks of rows, as inference takes them, are the whole forward.
inline void expect_blocks_are_the_whole(const ConvolutionInfo& info) {
  const at::NoGradGuard no_gradient;
  for (const Device& device : {Device{at::kCPU, at::kDouble}, Device{at::kCPU, at::kFloat, true}}) {
    const LoneConv c(info, device);
    const Input x(c.input());
    const Pass pass = Pass::inference();
    const at::Tensor messages =
        at::cat({c.conv->messages(x.slice(0, 3)), c.conv->messages(x.slice(3, c.kNodes))});
    const RowBlock rows = c.conv->aggregate_rows(*c.adjacency, messages);
    std::vector<at::Tensor> blocks;
    for (const auto& [begin, end] : {std::pair{int64_t{0}, int64_t{1}}, {1, 6}, {6, c.kNodes}})
      blocks.push_back(c.conv->output(rows(begin, end), x.slice(begin, end), pass));
    expect_all_close({at::cat(blocks)}, {c.conv->forward(x, *c.adjacency, pass)},
                     device.native ? 1e-5 : 1e-12);
  }
}

// Ways to the same result: A x made beforehand, and an epilogue fused.
inline void expect_shortcuts_say_the_same(const ConvolutionInfo& info) {
  for (const Device& device : {Device{at::kCPU, at::kDouble}, Device{at::kCPU, at::kFloat, true}}) {
    const LoneConv c(info, device);
    const double tolerance = device.native ? 1e-4 : 1e-11;
    const Pass pass{true, 0, Random(7)};
    const at::Tensor x = c.input();
    const auto expected = c.gradients(c.conv->forward(x, *c.adjacency, pass), x);
    if (c.conv->linear())
      expect_all_close(
          c.gradients(c.conv->forward(x, *c.adjacency, pass, c.adjacency->apply(x)), x), expected,
          tolerance);
    if (!c.conv->fuses()) continue;
    Epilogue epilogue = Epilogue::none(device.native);
    epilogue.relu = true;
    expect_all_close(
        c.gradients(c.conv->fused(x, *c.adjacency, pass, at::Tensor(), epilogue), x),
        c.gradients(apply_epilogue(c.conv->forward(x, *c.adjacency, pass), epilogue), x),
        tolerance);
  }
}

// A sampled layer has more sources than targets, which are the first of them.
inline void expect_sampled_layers(const ConvolutionInfo& info) {
  LayerGraph layer;
  layer.matrix = {2, LoneConv::kNodes, std::vector<int64_t>{0, 3, 5},
                  std::vector<int32_t>{0, 2, 7, 3, 6}, std::vector<float>{.5, .3, .2, .6, .4}};
  std::vector<std::vector<at::Tensor>> found;
  for (const bool native : {false, true}) {
    const LoneConv c(info, {at::kCPU, at::kFloat, native});
    const at::Tensor x = c.input();
    const Adjacency sampled = adjacency_of({layer}, c.device);
    found.push_back(c.gradients(c.conv->forward(x, sampled.layer(0), {true, 0, Random(7)}), x));
    EXPECT_EQ(found.back()[0].size(0), 2);
    EXPECT_EQ(found.back()[0].size(1), 6);
    const at::Tensor unheard = found.back().back().index_select(0, at::tensor({4, 5, 8}));
    EXPECT_EQ(unheard.abs().max().item<double>(), 0) << "sources without an edge";
  }
  expect_all_close(found[1], found[0], 1e-4);
}

// Nodes without edges and rows of zeros.
inline void expect_finite(const ConvolutionInfo& info) {
  for (const bool native : {false, true}) {
    const LoneConv c(info, {at::kCPU, at::kFloat, native});
    const at::Tensor x = at::zeros({LoneConv::kNodes, 5}).set_requires_grad(true);
    for (const at::Tensor& tensor :
         c.gradients(c.conv->forward(x, *c.adjacency, {true, 0, Random(7)}), x))
      EXPECT_TRUE(at::isfinite(tensor).all().item<bool>());
  }
}

inline void check_conv_laws(const ConvolutionInfo& info) {
  SCOPED_TRACE(std::string(info.name));
  expect_sound_weights(info);
  expect_conv_twins(info);
  expect_conv_gradients(info);
  expect_blocks_are_the_whole(info);
  expect_shortcuts_say_the_same(info);
  expect_sampled_layers(info);
  expect_finite(info);
}

}  // namespace gs::test
