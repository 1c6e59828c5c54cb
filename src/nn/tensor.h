// Small bridges between plain arrays and tensors.
#pragma once

#include <ATen/ATen.h>

#include <span>
#include <string>
#include <vector>

#include "base/array.h"

namespace gs {

// A tensor over the array's memory, which it keeps alive. Read-only by agreement: the memory may be
// a mapped file.
template <class T>
at::Tensor view_of(const Array<T>& array, at::IntArrayRef shape) {
  auto* data = const_cast<T*>(array.data());
  return at::from_blob(
      data, shape, [array](void*) {},
      at::TensorOptions().dtype(c10::CppTypeToScalarType<T>::value));
}

inline std::span<const float> floats(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

}  // namespace gs
