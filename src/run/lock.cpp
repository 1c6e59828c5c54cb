#include "run/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace gs {

namespace stdfs = std::filesystem;

RunLock::RunLock(const RunFolder& folder, const std::function<void()>& check)
    : path_(folder.path()) {
  std::error_code error;
  if (!stdfs::exists(path_, error)) {
    check();
    for (stdfs::path at = path_; !at.empty() && !stdfs::exists(at, error); at = at.parent_path())
      made_ = at;
    stdfs::create_directories(path_, error);
    if (error) {
      release();
      fail_data(path_.string(), error.message(), "choose a writable folder");
    }
  }
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    fail_data(path_.string(), "is being written by another training",
              "wait until it is done, or choose another folder with -o");
  }
  try {
    check();
  } catch (...) {
    release();
    throw;
  }
}

RunLock::~RunLock() { release(); }

void RunLock::release() {
  // From the inside out; a folder that is not empty stays.
  for (stdfs::path at = path_; !made_.empty() && ::rmdir(at.c_str()) == 0 && at != made_;)
    at = at.parent_path();
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace gs
