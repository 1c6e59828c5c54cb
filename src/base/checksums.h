// The checksums of a folder's files, in its file checksums.json: {"files": {NAME: XXH3-128}}. They
// find damage, not forgery. A folder without that file, from an earlier version, has none to check.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"

namespace gs {

inline constexpr std::string_view kChecksumsFile = "checksums.json";

using Checksums = std::map<std::string, std::string>;  // by the file's name

// Data Error if there is a file of checksums that cannot be read as such.
Checksums read_checksums(const std::filesystem::path& folder);
void write_checksums(const std::filesystem::path& folder, const Checksums& checksums);

std::string checksum_of(const std::filesystem::path& file, Progress& progress = no_progress());

// Adds the checksums of these files, of those that exist, to the folder's.
void add_checksums(const std::filesystem::path& folder, const std::vector<std::string>& names);

// Data Error that names a file that is missing or differs.
void check_checksum(const std::filesystem::path& folder, const std::string& name);

struct Verified {
  int64_t files = 0, bytes = 0;
};
// Checks every file that has a checksum, of the folder or, as .safetensors have, of its own. Data
// Error at the first that is damaged or missing.
Verified verify_folder(const std::filesystem::path& folder, Progress& progress = no_progress());

}  // namespace gs
