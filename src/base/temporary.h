// The hidden names beside a target under which it is written. Whoever writes under one holds its
// lock, which the system gives back when the process ends in any way: what no lock protects was
// left by a killed process. Where the file system has no locks, nothing is taken for a leftover.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

namespace gs {

struct Temporary {
  std::filesystem::path path;
  int descriptor = -1;  // of the open file or folder, locked; -1 if it was not made: see errno
};

// `make` creates a new file or folder and returns its descriptor, or -1 with errno.
Temporary make_temporary(const std::filesystem::path& target,
                         const std::function<int(const std::filesystem::path&)>& make);

// Removes what killed processes left beside the target. True if another process, or another thread,
// is writing a folder for this target now.
bool remove_leftovers(const std::filesystem::path& target);
// The same for a file, once per process: checkpoints are written often.
void remove_leftovers_once(const std::filesystem::path& target);

// The names in a folder, in no order. The iterators of std::filesystem end the process where memory
// is short; this throws std::bad_alloc.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error);

// The lock of a folder lasts until it is released, by its path.
void keep_lock(const std::filesystem::path& path, int descriptor);
void release_lock(const std::filesystem::path& path);

}  // namespace gs
