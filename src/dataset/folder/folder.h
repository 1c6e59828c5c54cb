// Our own dataset format: a folder of plain .npy arrays and dataset.json. It opens memory-mapped,
// so it may exceed RAM and opens at once; numpy.load reads every array. docs/formats.md describes
// the files.
#pragma once

#include <filesystem>
#include <vector>

#include "base/progress.h"
#include "dataset/reader.h"

namespace gs {

// Data Error unless a dataset may be written to `target`: it does not exist or is empty, or
// `overwrite` and it is a dataset folder of ours, without other files and without any of `inputs`.
void check_dataset_output(const std::filesystem::path& target, bool overwrite,
                          const std::vector<std::filesystem::path>& inputs = {});

// Atomic: a whole folder or none. The target is checked as above.
void save_dataset(const Dataset& data, const std::filesystem::path& target, bool overwrite,
                  Progress& progress = no_progress());

bool detect_folder(const std::filesystem::path& path);
RawDataset read_folder(const ReadRequest& request);

}  // namespace gs
