// Rejects NaN and infinity before they reach what sorts, compares or decomposes embeddings.
#pragma once

#include <ATen/core/Tensor.h>

namespace gs {

// Data Error when the embeddings hold a NaN or an infinite value.
void check_finite(const at::Tensor& embeddings);

}  // namespace gs
