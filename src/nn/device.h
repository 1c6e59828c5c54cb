// Where and in what precision a model computes. make_device() reads --device ("cpu", "cuda" or
// "cuda:1") and --kernels; on a GPU everything is plain libtorch.
#pragma once

#include <ATen/ATen.h>

#include <string>

#include "options/train.h"

namespace gs {

struct Device {
  at::Device torch = at::kCPU;
  at::ScalarType dtype = at::kFloat;
  bool native = false;  // our own kernels, where they serve: float on the CPU

  at::TensorOptions options() const { return at::TensorOptions().device(torch).dtype(dtype); }
};

// Usage Error if `name` is no device, or one that this machine does not have.
Device make_device(const std::string& name, Kernels kernels = Kernels::native,
                   at::ScalarType dtype = at::kFloat);

}  // namespace gs
