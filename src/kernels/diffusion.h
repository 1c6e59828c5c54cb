// Polynomials of a normalized adjacency, f(A) x for several f at once, on a tile: 16 columns that
// stay in a core's cache through all hops. A = R (B C + S C) as in kernels/spmm.h, square. One
// thread computes a tile, so that results do not depend on how many compute others beside it.
#pragma once

#include <span>
#include <vector>

#include "kernels/spmm.h"

namespace gs {

constexpr int64_t kTileColumns = 16;

struct Diffusion {
  SparseRows matrix;
  const float* row_scale = nullptr;     // null: ones
  const float* column_scale = nullptr;  // null: ones
  const float* self = nullptr;          // null: zeros
  // Of each polynomial, at least one: coefficients[f][k] belongs to A^k.
  std::vector<std::vector<float>> coefficients;
};

// x, `next` and out[f] have 16 floats per node, rows one after another. Fills out; x and `next` are
// overwritten.
void diffuse_tile(const Diffusion& diffusion, float* x, float* next, std::span<float* const> out);

// What becomes of the first `width` columns of a tile.
struct TileRows {
  int64_t rows = 0, width = kTileColumns;
  const float* row_scale = nullptr;  // of each row; null: ones
  bool root = false;                 // then the square root of what is positive, 0 for the rest
  float* y = nullptr;
  int64_t y_stride = 0;
  double *sums = nullptr, *squares = nullptr;  // of each column of y; null: not wanted
};

void put_tile(const float* tile, const TileRows& call);

}  // namespace gs
