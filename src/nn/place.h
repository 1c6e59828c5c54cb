// --device as a Place: "cpu", "cuda" or "cuda:1". Usage Error when it is neither, data Error when
// the device is absent.
#pragma once

#include "nn/tensor.h"

namespace gs {

Place place_for(const std::string& device, at::ScalarType type = at::kFloat);

}  // namespace gs
