// The result of an objective: the number to minimize and its named parts for the log. Objectives
// are pure: tensors in, Loss out.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <utility>
#include <vector>

namespace gs {

struct Loss {
  at::Tensor total;                                   // scalar, differentiable
  std::vector<std::pair<std::string, double>> terms;  // weighted, in the order they add up
};

}  // namespace gs
