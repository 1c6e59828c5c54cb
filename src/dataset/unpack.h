// Unpacks a downloaded zip archive. Members land directly in the folder by their own names,
// whatever folders the archive has, so that no name leads elsewhere. Names and sizes are the
// archive's word and are checked.
#pragma once

#include <filesystem>

#include "base/progress.h"

namespace gs {

// Data Error for an archive that is damaged or claims an impossible size. Files that exist are
// replaced, each atomically.
void unpack_zip(const std::filesystem::path& archive, const std::filesystem::path& folder,
                Progress& progress = no_progress());

}  // namespace gs
