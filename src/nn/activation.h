// Activations of a layer's output.
#pragma once

#include <functional>
#include <string>

#include "nn/parameters.h"

namespace gs {

enum class Activation { relu, prelu, elu };

using ActivationFunction = std::function<at::Tensor(const at::Tensor&)>;

// Empty for a ReLU, which is part of the layer's epilogue (nn/ops/epilogue.h). PReLU learns one
// slope, called `name`.
ActivationFunction make_activation(Activation kind, Parameters& store, const std::string& name);

}  // namespace gs
