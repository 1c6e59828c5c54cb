// Dense products cut into fixed blocks, each on one BLAS thread, so that the number of threads does
// not change a bit. Floats on the CPU.
#pragma once

#include <ATen/ATen.h>

#include <functional>

namespace gs {

at::Tensor product(const at::Tensor& a, const at::Tensor& b);                 // a b
at::Tensor transposed_product(const at::Tensor& a, const at::Tensor& b);      // a' b
void add_product(at::Tensor& out, const at::Tensor& a, const at::Tensor& b);  // out += a b

// A'A in double, A having `count` rows of `width` floats, which rows(begin, end) makes block by
// block. Products within a block are in float, their sum is not.
at::Tensor gram_matrix(int64_t count, int64_t width,
                       const std::function<at::Tensor(int64_t begin, int64_t end)>& rows);

struct EigenPairs {
  at::Tensor values, vectors;  // doubles, largest first; no value is below 0
};
// Of a symmetric matrix of doubles, by LAPACK on one thread.
EigenPairs eigen_pairs(const at::Tensor& symmetric);

}  // namespace gs
