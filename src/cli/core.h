// Loads the core library (and with it libtorch) at the first call.
#pragma once

#include "command/api.h"

namespace gs::cli {

const CoreApi& core();

}  // namespace gs::cli
