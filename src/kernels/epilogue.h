// What follows a product, element by element, in one pass: bias, ReLU, dropout, skip sum; and what
// precedes it on the way back. Fused into the sparse product (kernels/spmm.h), or on its own here,
// after dense ones.
#pragma once

#include <cstdint>

namespace gs {

// y = skip + dropped(relu(x + bias)); a null pointer leaves its part out.
struct EpilogueForward {
  const float* bias = nullptr;  // one per column
  bool relu = false;
  const uint32_t* kept = nullptr;  // dropout: kept_bits() of the matrix
  float scale = 1;                 // of what is kept
  const float* skip = nullptr;     // same shape and stride as y
};

// The gradient of x from that of y: dy * scale where the element was let through. ReLU and dropout
// together leave y > 0 exactly there, so y alone shows where (it must then be without a skip sum).
struct EpilogueBackward {
  const float* output = nullptr;   // y, when there was a ReLU; same shape and stride as dy
  const uint32_t* kept = nullptr;  // kept_bits(), when there was dropout and no ReLU
  float scale = 1;
  double* bias = nullptr;  // when set, receives the column sums of dx
};

// In place over x [rows, columns], row-major and contiguous.
void epilogue_forward(const EpilogueForward& epilogue, int64_t rows, int64_t columns, float* x);

// dx may be dy itself.
void epilogue_backward(const EpilogueBackward& epilogue, const float* dy, int64_t rows,
                       int64_t columns, float* dx);

}  // namespace gs
