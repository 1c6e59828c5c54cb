// Several files in one input. A name "data.npz!labels" is the member labels.npy of data.npz, which
// is written with the right checksums, so that what is fuzzed is behind them.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "fuzz/targets.h"

namespace gs::fuzz {

using Files = std::map<std::string, std::string>;  // contents by name

Files unpack(Bytes bundle, const std::vector<std::string>& names);
// The bundle that unpack() makes `files` of. Names that are not in `names` are left out.
std::string pack(const Files& files, const std::vector<std::string>& names);

// A zip archive of stored members.
std::string zip_of(const Files& members);

// A folder in memory with these files, removed at the end.
class FileSet {
 public:
  explicit FileSet(const Files& files);
  ~FileSet();
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace gs::fuzz
