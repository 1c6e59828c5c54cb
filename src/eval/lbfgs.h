// Limited-memory BFGS (Nocedal & Wright, algorithm 7.5) for smooth functions of a flat tensor, with
// a bisecting line search for the Wolfe conditions, which keep the curvature estimate positive. A
// step to a non-finite value counts as too long.
#pragma once

#include <ATen/ATen.h>

#include <functional>

namespace gs {

struct Evaluation {
  double value = 0;
  at::Tensor gradient;  // as the argument; a new tensor each time, since it is kept
};
using Objective = std::function<Evaluation(const at::Tensor& x)>;

struct LbfgsOptions {
  int64_t iterations = 500;
  int64_t history = 10;
  double tolerance = 1e-8;  // converged if the gradient's norm is at most this
};

struct Minimum {
  at::Tensor x;
  double value = 0, gradient_norm = 0;
  int64_t iterations = 0;
  // Otherwise out of iterations, or out of precision: no step lowers the value any more.
  bool converged = false;
};

Minimum minimize(const Objective& objective, const at::Tensor& start,
                 const LbfgsOptions& options = {});

}  // namespace gs
