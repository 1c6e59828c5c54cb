// Fingerprints of splits in model and checkpoint files, so that weights are scored only on the
// split that they were selected on.
#pragma once

#include <string>

#include "dataset/dataset.h"

namespace gs {

std::string fingerprint(const Split& split);

// Whether `stored` is the fingerprint of `split`, written by this version or an earlier one.
bool has_fingerprint(const Split& split, const std::string& stored);

}  // namespace gs
