#include "nn/linear.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nn/ops/torch_sparse.h"
#include "support/gradients.h"

namespace gs {
namespace {

using test::expect_gradients;
using test::random_tensor;

const Device kDouble{at::kCPU, at::kDouble};

std::vector<std::string> names(const Parameters& parameters) {
  std::vector<std::string> out;
  for (const auto& weight : parameters.weights()) out.push_back(weight.name);
  return out;
}

at::Tensor& named(Parameters& parameters, const std::string& name) {
  for (const auto& weight : parameters.weights())
    if (weight.name == name) return const_cast<at::Tensor&>(weight.tensor);
  throw std::runtime_error("no weight " + name);
}

// [[1, 2]] times [[3, 4], [5, 6], [7, 8]]' plus (.5, 1, 2).
TEST(Linear, ByHand) {
  Parameters parameters(kDouble, Random(1));
  const Linear linear(parameters, "f", 2, 3);
  const at::NoGradGuard no_gradient;
  named(parameters, "f.weight").copy_(at::tensor({3., 4., 5., 6., 7., 8.}).view({3, 2}));
  named(parameters, "f.bias").copy_(at::tensor({.5, 1., 2.}));
  const at::Tensor x = at::tensor({1., 2.}, at::kDouble).view({1, 2});
  EXPECT_TRUE(at::equal(linear(x), at::tensor({11.5, 18., 25.}, at::kDouble).view({1, 3})));
}

TEST(Linear, StartsAsPyTorchsDoes) {
  Parameters parameters(kDouble, Random(1));
  const Linear linear(parameters, "f", 16, 5000);
  for (const char* name : {"f.weight", "f.bias"}) {
    const at::Tensor w = named(parameters, name).detach();
    EXPECT_LE(w.abs().max().item<double>(), 0.25) << name;
    EXPECT_GT(w.abs().max().item<double>(), 0.249) << name;
  }
}

TEST(Linear, WithoutBias) {
  Parameters parameters(kDouble, Random(1));
  const Linear linear(parameters, "f", 3, 2, false);
  EXPECT_EQ(names(parameters), std::vector<std::string>{"f.weight"});
  EXPECT_EQ(linear(at::zeros({4, 3}, at::kDouble)).abs().max().item<double>(), 0);
}

// Sparse rows: (0, 2), none, (1).
Input sparse_input() {
  return Input(std::make_shared<TorchSparse>(3, 4, std::vector<int64_t>{0, 2, 2, 3},
                                             std::vector<int32_t>{0, 2, 1},
                                             std::vector<double>{1.5, -2, 3}, kDouble));
}

TEST(Linear, GradientsOnDenseAndSparseInput) {
  for (const bool bias : {true, false}) {
    Parameters parameters(kDouble, Random(2));
    const Linear linear(parameters, "f", 4, 5, bias);
    const at::Tensor x = random_tensor({3, 4}, 1), factor = random_tensor({3, 5}, 2, false);
    auto inputs = parameters.weights();
    expect_gradients([&] { return (linear(sparse_input()).tanh() * factor).sum(); }, inputs);
    inputs.push_back({"x", x});
    expect_gradients([&] { return (linear(x).tanh() * factor).sum(); }, inputs);
  }
}

TEST(Mlp, NamesItsLayers) {
  Parameters one(kDouble, Random(1)), three(kDouble, Random(1));
  Mlp(one, "heads.first", 4, 2, 1);
  Mlp(three, "heads.first", 4, 2, 3);
  EXPECT_EQ(names(one), (std::vector<std::string>{"heads.first.weight", "heads.first.bias"}));
  EXPECT_EQ(names(three), (std::vector<std::string>{"heads.first.0.weight", "heads.first.0.bias",
                                                    "heads.first.1.weight", "heads.first.1.bias",
                                                    "heads.first.2.weight", "heads.first.2.bias"}));
  EXPECT_EQ(named(three, "heads.first.0.weight").sizes(), (at::IntArrayRef{2, 4}));
  EXPECT_EQ(named(three, "heads.first.2.weight").sizes(), (at::IntArrayRef{2, 2}));
}

TEST(Mlp, GradientsOfEveryDepth) {
  for (const int64_t layers : {1, 2, 3}) {
    Parameters parameters(kDouble, Random(3));
    const Mlp mlp(parameters, "f", 4, 6, layers);
    const at::Tensor x = random_tensor({3, 4}, 4), factor = random_tensor({3, 6}, 5, false);
    auto inputs = parameters.weights();
    inputs.push_back({"x", x});
    expect_gradients([&] { return (mlp(x) * factor).sum(); }, inputs);
  }
}

TEST(Mlp, HasReluBetweenAndNotAfter) {
  Parameters parameters(kDouble, Random(1));
  const Mlp mlp(parameters, "f", 1, 1, 2);
  const at::NoGradGuard no_gradient;
  for (const auto& weight : parameters.weights())
    weight.tensor.fill_(weight.name.ends_with("bias") ? 0 : -1);
  const at::Tensor y = mlp(at::tensor({-2., 3.}, at::kDouble).view({2, 1}));
  EXPECT_EQ(y[0].item<double>(), -2) << "-2 becomes 2, passes, and becomes -2";
  EXPECT_EQ(y[1].item<double>(), 0) << "3 becomes -3 and is cut";
}

}  // namespace
}  // namespace gs
