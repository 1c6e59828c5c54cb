#include "nn/bilinear.h"

#include <cmath>

namespace gs {

Bilinear::Bilinear(Parameters& store, const std::string& name, int64_t width)
    : weight_(store.uniform(name + ".weight", {width, width},
                            1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, width))))) {}

}  // namespace gs
