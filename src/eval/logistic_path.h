// Logistic regression with an L2 penalty, fitted to convergence for several penalties on the rows
// of one training set: sum of the losses + |W|^2 / (2 C), the bias free of penalty, as scikit-learn
// has it. Softmax for single-label tasks, one sigmoid per class for multi-label ones.
//
// The rows are first rotated to the principal axes of their span, which changes nothing: weights
// outside of the span stay 0, and the penalty does not see a rotation. Wide rows become narrow, and
// in these axes the Hessian is close to diagonal, so that L-BFGS needs few steps.
#pragma once

#include "eval/logistic.h"

namespace gs {

class LogisticPath {
 public:
  // Rows of x are scaled to length 1. Every node is labeled.
  LogisticPath(const Input& x, const Labels& labels, std::span<const int32_t> nodes);

  // The weights of the minimum, as one problem, in floats; starts where the last call ended.
  LinearWeights fit(double c);
  int64_t iterations() const { return iterations_; }  // of the last call

 private:
  void rotate(const Input& x, std::span<const int32_t> nodes);
  LinearWeights weights_of(const at::Tensor& flat, const at::Tensor& scale) const;

  const Input& x_;
  bool multi_;
  int64_t classes_;
  at::Tensor rows_, columns_;  // rotated rows, n x r, and their transpose
  at::Tensor squares_;         // r: squared length of each rotated column
  at::Tensor axes_;            // F x r, or undefined: not rotated
  at::Tensor target_;          // n x C: 1 where the row has the class
  at::Tensor solution_;        // (r + 1) x C doubles; the last row holds the biases
  int64_t iterations_ = 0;
};

}  // namespace gs
