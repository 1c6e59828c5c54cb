#include "nn/singular.h"

#include <algorithm>

#include "nn/products.h"

namespace gs {

namespace {

constexpr int64_t kOversampling = 16;
constexpr int kIterations = 3;
constexpr double kNegligibleEigenvalue = 1e-10;  // share of the largest eigenvalue that counts as 0

at::Tensor own_gram(const at::Tensor& y) {
  return gram_matrix(y.size(0), y.size(1),
                     [&](int64_t begin, int64_t end) { return y.slice(0, begin, end); });
}

// An orthonormal basis of the columns of y, by the eigenvectors of its Gram matrix; twice, since
// the first loses digits where y is badly conditioned.
at::Tensor orthonormal(at::Tensor y) {
  for (int pass = 0; pass < 2; ++pass) {
    const EigenPairs pairs = eigen_pairs(own_gram(y));
    const double least = kNegligibleEigenvalue * pairs.values[0].item<double>() + 1e-300;
    const at::Tensor keep = (pairs.values > least).to(at::kDouble);
    const at::Tensor scale = keep / pairs.values.clamp_min(least).sqrt();
    y = product(y, (pairs.vectors * scale).to(y.scalar_type()));
  }
  return y;
}

Directions cut(const at::Tensor& vectors, const at::Tensor& squares, int64_t count) {
  at::Tensor v = vectors.slice(1, 0, count).to(at::kDouble);
  const at::Tensor largest = v.gather(0, v.abs().argmax(0, true));
  v = v * at::where(largest < 0, -1.0, 1.0);
  return {v.to(at::kFloat).contiguous(), squares.slice(0, 0, count).sqrt().contiguous()};
}

}  // namespace

at::Tensor DenseTall::times(const at::Tensor& p) const { return product(matrix_, p); }

at::Tensor DenseTall::transposed_times(const at::Tensor& q) const {
  return transposed_product(matrix_, q);
}

at::Tensor SparseTall::block(int64_t begin, int64_t end) const {
  return matrix_->slice(begin, end)->apply(at::eye(columns(), at::kFloat));
}

at::Tensor Centered::times(const at::Tensor& p) const {
  const at::Tensor scaled = p * scale.to(at::kFloat).unsqueeze(1);
  return matrix.times(scaled).sub_(at::mm(mean.to(at::kFloat).unsqueeze(0), scaled));
}

at::Tensor Centered::transposed_times(const at::Tensor& q) const {
  const at::Tensor sums = q.sum({0}, true, at::kDouble).to(at::kFloat);
  return matrix.transposed_times(q)
      .sub_(at::mm(mean.to(at::kFloat).unsqueeze(1), sums))
      .mul_(scale.to(at::kFloat).unsqueeze(1));
}

Directions exact_directions(const Centered& g, int64_t count) {
  const at::Tensor mean = g.mean.to(at::kFloat), scale = g.scale.to(at::kFloat);
  const at::Tensor gram = gram_matrix(
      g.matrix.rows(), g.matrix.columns(),
      [&](int64_t begin, int64_t end) { return (g.matrix.block(begin, end) - mean).mul_(scale); });
  const EigenPairs pairs = eigen_pairs(gram);
  return cut(pairs.vectors, pairs.values, std::min({count, g.matrix.rows(), g.matrix.columns()}));
}

Directions iterated_directions(const Centered& g, int64_t count, Random random) {
  const int64_t most = std::min(g.matrix.rows(), g.matrix.columns());
  const int64_t width = std::min(most, count + kOversampling);
  at::Tensor basis = at::empty({g.matrix.columns(), width}, at::kFloat);
  for (float& value : std::span(basis.data_ptr<float>(), static_cast<size_t>(basis.numel())))
    value = static_cast<float>(random.normal());
  at::Tensor image = g.times(basis);
  for (int i = 0; i < kIterations; ++i) {
    basis = orthonormal(g.transposed_times(image));
    image = g.times(basis);
  }
  const EigenPairs pairs = eigen_pairs(own_gram(image));
  return cut(product(basis, pairs.vectors.to(at::kFloat)), pairs.values, std::min(count, most));
}

Directions leading_directions(const Centered& g, int64_t count, Random random) {
  const bool exact = g.matrix.columns() <= kExactWidth && g.matrix.block(0, 1).defined();
  return exact ? exact_directions(g, count) : iterated_directions(g, count, random);
}

}  // namespace gs
