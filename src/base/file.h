// Safe file access. Reading maps a file into memory. Writing goes to a temporary name beside the
// target, is synced and renamed, and the folder is synced: after a crash there is the old file or
// the new one, never half of one. Every failure is a data Error that names the file ("no such
// file", "is a directory", "no permission", "disk full").
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gs {

namespace fs = std::filesystem;

// A regular file mapped read-only. Copies share the mapping, which lives as long as the last of
// them.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const fs::path& path);

  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  const std::string& path() const { return path_; }
  std::shared_ptr<const void> owner() const { return owner_; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
  std::string path_;
};

// A file being written. Without commit() (an exception on the way, say) the target stays as it was.
class AtomicFile {
 public:
  explicit AtomicFile(fs::path target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  template <class T>
  void write_values(std::span<const T> values) {
    write(std::as_bytes(values));
  }
  void commit();

 private:
  fs::path target_, temporary_;
  int descriptor_ = -1;
  std::string buffer_;  // small writes are gathered
  void put(std::span<const std::byte> bytes);
  void flush();
};

void write_file(const fs::path& target, std::string_view text);  // AtomicFile in one call

// A folder being written: fill path() with files, then commit() renames it to the target. Without
// commit() it is removed. An existing target is refused unless `overwrite`, and then replaced only
// at commit().
class AtomicFolder {
 public:
  AtomicFolder(const fs::path& target, bool overwrite);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  const fs::path& path() const { return temporary_; }
  void commit();

 private:
  void swap_with_target();

  fs::path target_, temporary_;
  bool overwrite_;
};

// Refuses an existing output: data Error with the hint to pass --overwrite. With `overwrite`,
// refuses only what is not ours to delete: a folder that holds folders, a link, a device.
void check_output(const fs::path& target, bool overwrite);

// Bytes of memory that this process may use (the machine's, or its cgroup's): a file that claims to
// unpack to more is bad.
int64_t memory_limit();

}  // namespace gs
