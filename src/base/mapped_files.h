// The files that this process has mapped. Another process may cut a mapped file short, and reading
// it then raises SIGBUS, or rewrite it, and indices that were checked are then out of range. This
// finds the file that is to blame.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace gs {

// One mapping, listed from its construction to its destruction. Any thread may make one.
class MappedRange {
 public:
  // `status`: of the open file, when it was mapped.
  MappedRange(std::string path, void* address, size_t length, const struct stat& status);
  ~MappedRange();  // unmaps it
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

  const std::string& path() const { return path_; }
  // Whether the very file that was mapped has another size or time of change now. A new file of the
  // same name, put there by renaming it, changes nothing for those who mapped the old one.
  bool changed() const;

 private:
  std::string path_;
  void* address_;
  size_t length_;
  dev_t device_;
  ino_t inode_;
  off_t size_;
  timespec time_;
  size_t slot_;
};

// Whether the address is in a mapped file.
bool is_mapped(const void* address);

// Data Error that names the file if an address is in a mapped file that has changed. Whoever passes
// an address keeps its mapping alive.
void check_unchanged(std::span<const void* const> addresses);

// SIGBUS and SIGSEGV that a changed file caused end the process with an error that names it, and
// exit code 3; any others are as before. For a program, which owns its signals; a library does not.
void report_faults_of_mapped_files();

}  // namespace gs
