// How a golden case is followed: on which devices, for how many steps, and what is compared after
// them.
#pragma once

#include <string>
#include <vector>

#include "nn/device.h"
#include "support/golden.h"

namespace gs::test {

inline const Device kDouble{at::kCPU, at::kDouble}, kFloat{at::kCPU, at::kFloat},
    kNative{at::kCPU, at::kFloat, true};

inline constexpr int kSteps = 10;

// Losses of all steps, and the trained weights and embedding.
template <class Model, class Batch>
void compare_trained(const Model& model, const Batch& batch, const std::vector<double>& losses,
                     const Tensors& expected, Differences& differences) {
  differences.compare("losses", at::tensor(losses, at::kDouble), expected.at("losses"));
  for (const auto& [name, tensor] : model.parameters().all())
    differences.compare("final." + name, tensor, expected.at("final." + name));
  differences.compare("embedding", model.embed(batch), expected.at("embedding"));
}

}  // namespace gs::test
