// Transposed sparse times dense, Y' = (A' X)': the gradient of a linear map of bag-of-words rows. A
// is given by its rows, which are passed over once; each adds its row of X to the few rows of A'X
// that its entries name. Those stay in a core's own cache, a tile of columns at a time, while X
// streams by: with few entries per row this beats gathering rows of X by the transpose of A
// (kernels/spmm.h), which would fetch each of them from memory again and again, and it needs no
// transpose.
//
// A tile belongs to one thread, and every element is summed in the order of A's rows: results do
// not depend on the number of threads.
#pragma once

#include <cstdint>

#include "kernels/epilogue.h"
#include "kernels/spmm.h"

namespace gs {

struct Scatter {
  SparseRows matrix;  // A

  const float* x = nullptr;  // [rows of A, width]
  int64_t x_stride = 0;
  EpilogueBackward before;  // applied to x first; same shape and stride

  float* y = nullptr;  // [width, columns of A]
  int64_t y_stride = 0;
  float* y_next = nullptr;  // columns of X from `split` on go to this matrix
  int64_t split = 0;
  int64_t width = 0;
};

// Whether it beats spmm() by the transpose.
bool scatter_pays(const SparseRows& matrix);

void scatter(const Scatter& call);

}  // namespace gs
