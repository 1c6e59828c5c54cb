// Sparse times dense, Y = epilogue(R (A C + S C) X): A in compressed rows, usually without values;
// R and C row and column scalings, S an added diagonal (graph/normalize.h has what a GCN's are).
// Serves the adjacency, forward and (with the reverse graph) backward, and bag-of-words features
// times a weight.
//
// Where rows of X are gathered many times, X is taken in tiles of a few columns, each packed into a
// buffer that stays in a core's own cache while all rows of A pass over it, so that X is read from
// memory once; elsewhere rows are gathered where they lie, fetched some entries ahead. On the way
// into the tile X is scaled by C, transposed if it is a weight [outputs, inputs], or brought back
// through an epilogue (EpilogueBackward). Every element is summed by one thread in the order of its
// row: results do not depend on the number of threads.
#pragma once

#include <cstdint>

#include "kernels/epilogue.h"

namespace gs {

struct SparseRows {
  int64_t rows = 0, columns = 0;
  const int64_t* offsets = nullptr;  // rows + 1; the first need not be 0
  const int32_t* indices = nullptr;  // columns, at offsets[r] .. offsets[r + 1]
  const float* values = nullptr;     // null: all ones

  int64_t nonzeros() const { return offsets[rows] - offsets[0]; }
};

struct Spmm {
  SparseRows matrix;
  const float* row_scale = nullptr;     // null: ones
  const float* column_scale = nullptr;  // null: ones
  const float* self = nullptr;          // S, one per row; null: zeros
  int64_t first_row = 0;                // the node of row 0, for S: a block of rows may be passed

  const float* x = nullptr;
  int64_t x_stride = 0;           // between rows of x, or of the transposed x
  bool x_transposed = false;      // x is [width, columns of A]
  const float* x_next = nullptr;  // transposed: columns from `split` on come from this matrix
  EpilogueBackward before;        // applied to x first; same shape and stride
  EpilogueForward after;          // applied to the result

  float* y = nullptr;
  int64_t y_stride = 0;
  bool y_transposed = false;  // y is [width, rows of A]; then no `after`
  float* y_next = nullptr;    // transposed: columns from `split` on go to this matrix
  int64_t split = 0;
  int64_t width = 0;  // columns of X and Y

  // Gather from x where it lies, row by row, even where packing tiles would be faster: for a block
  // of rows of a larger matrix, or an x that is a mapped file. The same bits come out.
  bool direct = false;
};

void spmm(const Spmm& call);

}  // namespace gs
