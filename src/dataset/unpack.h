// Unpacks a downloaded zip archive. Members are written directly into the folder under their
// base names, whatever folders the archive has, so that no name leads elsewhere. Names and sizes in
// the archive are checked.
#pragma once

#include <filesystem>
#include <vector>

#include "base/progress.h"

namespace gs {

// Data Error for an archive that is damaged or claims an impossible size. Files that exist are
// replaced, each atomically. Returns the files written.
std::vector<std::filesystem::path> unpack_zip(const std::filesystem::path& archive,
                                              const std::filesystem::path& folder,
                                              Progress& progress = no_progress());

}  // namespace gs
