// Leading right singular directions of a tall matrix: through its Gram matrix where that is small,
// by randomized subspace iteration (Halko, Martinsson and Tropp 2011) where it is wide. The number
// of threads does not change a bit.
#pragma once

#include <ATen/ATen.h>

#include <memory>

#include "base/random.h"
#include "nn/ops/sparse_operator.h"

namespace gs {

// An N x F matrix of floats on the CPU that is only multiplied.
class TallMatrix {
 public:
  virtual ~TallMatrix() = default;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  virtual at::Tensor times(const at::Tensor& p) const = 0;             // G p
  virtual at::Tensor transposed_times(const at::Tensor& q) const = 0;  // G' q
  // Rows [begin, end), dense; undefined if the matrix is never formed.
  virtual at::Tensor block(int64_t begin, int64_t end) const = 0;
};

class DenseTall final : public TallMatrix {
 public:
  explicit DenseTall(at::Tensor matrix) : matrix_(std::move(matrix)) {}
  int64_t rows() const override { return matrix_.size(0); }
  int64_t columns() const override { return matrix_.size(1); }
  at::Tensor times(const at::Tensor& p) const override;
  at::Tensor transposed_times(const at::Tensor& q) const override;
  at::Tensor block(int64_t begin, int64_t end) const override {
    return matrix_.slice(0, begin, end);
  }

 private:
  at::Tensor matrix_;
};

class SparseTall final : public TallMatrix {
 public:
  explicit SparseTall(std::shared_ptr<const SparseOperator> matrix) : matrix_(std::move(matrix)) {}
  int64_t rows() const override { return matrix_->rows(); }
  int64_t columns() const override { return matrix_->columns(); }
  at::Tensor times(const at::Tensor& p) const override { return matrix_->apply(p); }
  at::Tensor transposed_times(const at::Tensor& q) const override {
    return matrix_->apply_transposed(q);
  }
  at::Tensor block(int64_t begin, int64_t end) const override;

 private:
  std::shared_ptr<const SparseOperator> matrix_;
};

// (G - 1 mean') diag(scale).
struct Centered {
  const TallMatrix& matrix;
  at::Tensor mean, scale;  // F doubles each

  at::Tensor times(const at::Tensor& p) const;
  at::Tensor transposed_times(const at::Tensor& q) const;
};

struct Directions {
  at::Tensor vectors;  // F x K, orthonormal columns; the largest entry of each is positive
  at::Tensor values;   // K doubles, singular values, largest first
};

// Matrices with at most this many columns are solved exactly.
constexpr int64_t kExactWidth = 768;

// The `count` leading ones (at most F and N).
Directions leading_directions(const Centered& g, int64_t count, Random random);

// The two ways, for tests and callers that know better.
Directions exact_directions(const Centered& g, int64_t count);
Directions iterated_directions(const Centered& g, int64_t count, Random random);

}  // namespace gs
