// --device and --kernels as a Place: "cpu", "cuda" or "cuda:1"; on a GPU everything is plain
// libtorch. Usage Error when it is neither, data Error when
// the device is absent.
#pragma once

#include "config/train_options.h"
#include "nn/tensor.h"

namespace gs {

Place place_for(const std::string& device, Kernels kernels = Kernels::native,
                at::ScalarType type = at::kFloat);

}  // namespace gs
