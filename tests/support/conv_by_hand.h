// One convolution of two inputs and one output on a path 0 - 1 - 2, with weights set by hand.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "nn/adjacency.h"
#include "nn/conv/conv.h"
#include "support/graphs.h"

namespace gs::test {

inline std::vector<double> conv_by_hand(const std::string& name,
                                        const std::map<std::string, std::vector<double>>& weights) {
  const at::NoGradGuard no_gradient;
  const Device device{at::kCPU, at::kDouble};
  Parameters parameters(device, Random(1));
  const auto conv = make_conv(name, {parameters, "conv", 0, 2, 1});
  EXPECT_EQ(parameters.weights().size(), weights.size());
  for (const auto& [key, tensor] : parameters.weights()) {
    const std::vector<double>& values = weights.at(key.substr(std::string("conv.").size()));
    tensor.copy_(at::tensor(at::ArrayRef<double>(values), at::kDouble).view(tensor.sizes()));
  }
  const auto adjacency = adjacency_for(name, undirected_graph(3, {{0, 1}, {1, 2}}), device);
  const at::Tensor x = at::tensor({1., 0., 0., 1., 2., 2.}, at::kDouble).view({3, 2});
  const at::Tensor out = conv->forward(x, *adjacency, Pass::inference()).contiguous();
  return {out.data_ptr<double>(), out.data_ptr<double>() + out.numel()};
}

// The largest magnitude of each starting weight of a convolution of 100 inputs and 50 outputs.
inline std::map<std::string, double> starting_weights(const std::string& name) {
  Parameters parameters(Device{at::kCPU, at::kDouble}, Random(1));
  const auto conv = make_conv(name, {parameters, "conv", 0, 100, 50});
  std::map<std::string, double> out;
  for (const auto& [key, tensor] : parameters.weights())
    out[key] = tensor.detach().abs().max().item<double>();
  return out;
}

}  // namespace gs::test
