// Where tests compute: the plain operations in double and float, and our own kernels.
#pragma once

#include "nn/device.h"

namespace gs {

inline const Device kDouble{at::kCPU, at::kDouble}, kFloat{at::kCPU, at::kFloat},
    kNative{at::kCPU, at::kFloat, true};

}  // namespace gs
