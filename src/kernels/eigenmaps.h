// The Laplacian-Eigenmaps loss of objective/eigenmaps.h and its gradient, in two streaming passes
// over blocks of rows that stay in cache, with K x K work between them: nothing of size N is stored
// but the gradient.
#pragma once

#include <cstdint>
#include <functional>

namespace gs {

// C = alpha * op(A) op(B) + beta * C, row-major, on one thread: op(A) is m x k, op(B) k x n.
using Gemm = void (*)(bool a_transposed, int64_t m, int64_t n, int64_t k, float alpha,
                      const float* a, int64_t a_stride, const float* b, int64_t b_stride,
                      float beta, float* c, int64_t c_stride);

enum class GramForm {
  columns,  // |G - I|_F
  rows,     // sqrt(|G|^2 - 2 tr G + N)
  scaled,   // |(K/N) G - I|_F^2
};

struct Eigenmaps {
  int64_t rows = 0, width = 0;
  const float* z[2] = {};  // the views, `stride` floats between rows
  int64_t stride = 0;
  double similarity = 1;  // factor of the mean squared distance of the unit rows
  double gamma = 1;       // factor of the constraint
  GramForm form = GramForm::columns;
  float* gradient[2] = {};  // of the views, with the same stride; null: not wanted
  // Sums values over the processes that hold the other rows, in place; empty: there are none. It is
  // called once per call, with as many values everywhere.
  std::function<void(double* values, int64_t count)> reduce = nullptr;
};

struct EigenmapsTerms {
  double similarity = 0, constraint = 0;  // weighted
};

// Sums over rows are added in fixed blocks and a fixed order: the number of threads changes no bit.
EigenmapsTerms eigenmaps(const Eigenmaps& call, Gemm gemm);

}  // namespace gs
