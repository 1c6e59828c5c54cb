#include "nn/products.h"

#include <algorithm>

#include "base/parallel.h"
#include "nn/blas.h"

namespace gs {

namespace {

constexpr int64_t kBlockRows = 2048, kBlockColumns = 64;

// body(begin, end) over fixed blocks, each on one thread with one BLAS thread.
void for_blocks(int64_t count, int64_t block, const std::function<void(int64_t, int64_t)>& body) {
  parallel_for((count + block - 1) / block, 1, [&](int64_t first, int64_t last) {
    const OneBlasThread alone;
    for (int64_t b = first; b < last; ++b) body(b * block, std::min(count, (b + 1) * block));
  });
}

}  // namespace

at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor out = at::empty({a.size(0), b.size(1)}, b.options());
  for_blocks(a.size(0), kBlockRows, [&](int64_t begin, int64_t end) {
    at::Tensor part = out.slice(0, begin, end);
    at::mm_out(part, a.slice(0, begin, end), b);
  });
  return out;
}

at::Tensor transposed_product(const at::Tensor& a, const at::Tensor& b) {
  at::Tensor out = at::empty({a.size(1), b.size(1)}, b.options());
  for_blocks(a.size(1), kBlockColumns, [&](int64_t begin, int64_t end) {
    at::Tensor part = out.slice(0, begin, end);
    at::mm_out(part, a.slice(1, begin, end).t(), b);
  });
  return out;
}

void add_product(at::Tensor& out, const at::Tensor& a, const at::Tensor& b) {
  for_blocks(a.size(0), kBlockRows, [&](int64_t begin, int64_t end) {
    out.slice(0, begin, end).addmm_(a.slice(0, begin, end), b);
  });
}

at::Tensor gram_matrix(int64_t count, int64_t width,
                       const std::function<at::Tensor(int64_t begin, int64_t end)>& rows) {
  at::Tensor gram = at::zeros({width, width}, at::kDouble);
  for (int64_t row = 0; row < count; row += kBlockRows) {
    const at::Tensor block = rows(row, std::min(count, row + kBlockRows));
    for_blocks(width, kBlockColumns, [&](int64_t begin, int64_t end) {  // above the diagonal
      gram.slice(0, begin, end)
          .slice(1, begin)
          .add_(at::mm(block.slice(1, begin, end).t(), block.slice(1, begin)));
    });
  }
  return gram.triu() + gram.triu(1).t();
}

EigenPairs eigen_pairs(const at::Tensor& symmetric) {
  const OneBlasThread alone;
  const auto [values, vectors] = at::linalg_eigh(symmetric);
  return {values.flip({0}).clamp_min(0), vectors.flip({1})};
}

}  // namespace gs
