#include "nn/bilinear.h"

namespace gs {

Bilinear::Bilinear(Parameters& store, const std::string& name, int64_t width)
    : weight_(store.uniform(name + ".weight", {width, width}, linear_bound(width))) {}

}  // namespace gs
