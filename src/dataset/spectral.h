// Leading eigenvectors of the normalized adjacency D^-1/2 A D^-1/2, by subspace iteration with a
// Chebyshev filter (Zhou, Saad et al. 2006): a few tens of passes over the edges, a few N x width
// matrices of memory, no N x N one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataset/dataset.h"

namespace gs {

// Eigenvalues and eigenvectors (columns of `vectors`, both n x n row-major) of a symmetric matrix,
// largest first.
struct Eigen {
  std::vector<double> values, vectors;
};
Eigen symmetric_eigen(std::vector<double> matrix, int64_t n);

// N x width, columns of length sqrt(N), largest eigenvalue first, the largest entry of each
// positive. A directed graph counts as (A + A') / 2; isolated nodes get zeros. At most N columns
// are filled.
DenseMatrix leading_eigenvectors(const Csr& graph, int64_t width, uint64_t seed);

}  // namespace gs
