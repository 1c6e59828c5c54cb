// Fingerprints of splits in model and checkpoint files, so that weights are scored only on the
// split that they were selected on; and of datasets, so that a run continues on its own data.
#pragma once

#include <string>

#include "dataset/dataset.h"

namespace gs {

std::string fingerprint(const Split& split);

// Of the graph, features, labels and splits, not of names. An array beyond 256 MiB is read in
// evenly spaced pieces.
std::string fingerprint(const Dataset& data);

// Data Error that names the file if one that the dataset is mapped from has changed since it was
// loaded.
void check_unchanged(const Dataset& data);

// Whether `stored` is the fingerprint of `split`, written by this version or an earlier one.
bool has_fingerprint(const Split& split, const std::string& stored);

}  // namespace gs
