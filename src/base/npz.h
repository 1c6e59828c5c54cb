// NumPy's .npz: a zip of .npy members, stored or deflated, zip64 included. libzip reads the
// directory, libdeflate inflates whole members (two to three times zlib's speed). Sizes are checked
// before anything is allocated: a member that claims more than deflate can possibly give, or a CRC
// that does not match, is a data Error.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/npy.h"

namespace gs {

class Npz {
 public:
  explicit Npz(const fs::path& path);

  bool has(std::string_view name) const;  // without ".npy"
  std::vector<std::string> names() const;
  NpyArray get(std::string_view name) const;  // data Error that lists the members when it is absent
  // Several members at once, inflated in parallel.
  std::map<std::string, NpyArray> get_all(std::span<const std::string> wanted) const;
  // The same, kept for later calls of get and get_all; names that are not there are passed over.
  void preload(std::span<const std::string> wanted);
  const std::string& path() const { return path_; }

 private:
  struct Member {
    int64_t index = 0, stored_bytes = 0, bytes = 0;
    bool deflated = false;
    uint32_t crc = 0;
  };
  struct Packed;  // a member as it lies in the file
  const Member& find(std::string_view name) const;
  std::string place(std::string_view name) const { return path_ + "[" + std::string(name) + "]"; }

  std::string path_;
  MappedFile file_;
  std::map<std::string, Member, std::less<>> members_;
  std::map<std::string, NpyArray> preloaded_;
};

}  // namespace gs
