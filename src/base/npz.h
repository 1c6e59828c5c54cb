// NumPy's .npz: a zip of .npy members, stored or deflated, zip64 included. libzip reads the
// directory, libdeflate inflates whole members (two to three times zlib's speed). Sizes are checked
// before anything is allocated: a member that claims more than deflate can possibly give, or a CRC
// that does not match, is a data Error.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/npy.h"

namespace gs {

class Npz {
 public:
  explicit Npz(const fs::path& path);
  ~Npz();
  Npz(const Npz&) = delete;
  Npz& operator=(const Npz&) = delete;

  bool has(std::string_view name) const;  // without ".npy"
  std::vector<std::string> names() const;
  NpyArray get(std::string_view name) const;  // data Error that lists the members if it is absent
  // Several members at once, inflated in parallel.
  std::map<std::string, NpyArray> get_all(std::span<const std::string> wanted) const;
  // Starts inflating members on other threads, the largest first, while the caller continues. get
  // and get_all then wait for those, or inflate the ones that no thread has begun; they throw what
  // is wrong with a member. Names that are not in the file are skipped. Call at most once.
  void preload(std::span<const std::string> wanted);
  const std::string& path() const { return path_; }

 private:
  struct Member {
    int64_t index = 0, stored_bytes = 0, bytes = 0;
    bool deflated = false;
    uint32_t crc = 0;
  };
  class Preloading;
  const Member& find(std::string_view name) const;
  void check_memory(std::span<const std::string> wanted) const;
  std::string place(std::string_view name) const { return path_ + "[" + std::string(name) + "]"; }

  std::string path_;
  MappedFile file_;
  std::map<std::string, Member, std::less<>> members_;
  std::unique_ptr<Preloading> preloading_;
};

}  // namespace gs
