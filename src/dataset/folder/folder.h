// Our own dataset format: a folder of plain .npy arrays and dataset.json. It opens memory-mapped,
// so it may exceed RAM and opens at once; numpy.load reads every array. docs/formats.md describes
// the files.
#pragma once

#include <filesystem>

#include "base/progress.h"
#include "dataset/reader.h"

namespace gs {

// Atomic: a whole folder or none. Refuses an existing target unless `overwrite`.
void save_dataset(const Dataset& data, const std::filesystem::path& target, bool overwrite,
                  Progress& progress = no_progress());

bool detect_folder(const std::filesystem::path& path);
RawDataset read_folder(const ReadRequest& request);

}  // namespace gs
