// An .npy file that is filled through memory, for arrays of one value per node that may exceed it.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string>

#include "base/error.h"
#include "base/npy.h"

namespace gs {

template <class T>
class Table {
 public:
  // Creates the file; its elements are 0. The space is reserved here, so that a full disk is a data
  // Error and not a signal later.
  Table(const fs::path& path, std::initializer_list<int64_t> shape) {
    const std::string header = npy_header<T>(std::span(shape.begin(), shape.size()));
    int64_t count = 1;
    for (const int64_t length : shape) count *= length;
    bytes_ = header.size() + static_cast<size_t>(count) * sizeof(T);
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) fail(path, errno);
    int error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes_));
    if (error == 0) {
      void* const address = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      if (address == MAP_FAILED) error = errno;
      else address_ = static_cast<char*>(address);
    }
    ::close(file);
    if (error != 0) fail(path, error);
    std::memcpy(address_, header.data(), header.size());
    values_ = {reinterpret_cast<T*>(address_ + header.size()), static_cast<size_t>(count)};
  }
  ~Table() { ::munmap(address_, bytes_); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  std::span<T> values() const { return values_; }
  T& operator[](int64_t i) const { return values_[static_cast<size_t>(i)]; }

 private:
  [[noreturn]] static void fail(const fs::path& path, int error) {
    fail_data(path.string(), fmt::format("cannot be written: {}", std::strerror(error)),
              "check the free space of the disk, or write to another one");
  }

  char* address_ = nullptr;
  size_t bytes_ = 0;
  std::span<T> values_;
};

}  // namespace gs
