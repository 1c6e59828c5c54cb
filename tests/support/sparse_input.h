// The rows of a dense tensor as sparse input of a probe, in the tensor's type.
#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <vector>

#include "nn/features.h"
#include "nn/ops/torch_sparse.h"

namespace gs::test {

inline Input sparse_of(const at::Tensor& x) {
  const at::Tensor exact = x.to(at::kDouble).contiguous();
  const double* entries = exact.const_data_ptr<double>();
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> indices;
  std::vector<double> values;
  for (int64_t i = 0; i < x.size(0); ++i) {
    for (int64_t j = 0; j < x.size(1); ++j)
      if (const double v = entries[i * x.size(1) + j]; v != 0)
        indices.push_back(static_cast<int32_t>(j)), values.push_back(v);
    offsets.push_back(static_cast<int64_t>(indices.size()));
  }
  return Input(std::make_shared<TorchSparse>(x.size(0), x.size(1), offsets, indices, values,
                                             Device{at::kCPU, x.scalar_type()}));
}

}  // namespace gs::test
