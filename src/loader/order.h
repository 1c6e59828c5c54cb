// The order of target nodes or parts in an epoch.
#pragma once

#include <cstdint>
#include <span>

#include "loader/loader.h"

namespace gs {

// A permutation of [0, count) by (random, epoch), made once per epoch and kept in the workspace.
std::span<const int32_t> epoch_order(const Random& random, int64_t epoch, int64_t count,
                                     LoaderWorkspace& workspace);

}  // namespace gs
