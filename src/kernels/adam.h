// One step of Adam over every parameter of a model at once: each number is read and written once.
// Also the gradients' norm, which clipping needs first.
#pragma once

#include <cstdint>
#include <span>

namespace gs {

struct AdamSpan {  // one parameter
  float* weight;
  const float* gradient;
  float *first, *second;  // moments
  int64_t count;
};

struct AdamStep {
  double lr, beta1, beta2, epsilon, weight_decay;
  int64_t step;               // 1 on the first
  double gradient_scale = 1;  // gradients are multiplied by it first: clipping
};

void adam_step(const AdamStep& step, std::span<const AdamSpan> parameters);

// Sum of squares of all gradients, in double, the same bits on any number of threads.
double squared_norm(std::span<const AdamSpan> parameters);

}  // namespace gs
