#include "run/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace gs {

namespace stdfs = std::filesystem;

namespace {

void sync_folder(const stdfs::path& path) {
  const int folder = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // one that may be written but not listed cannot be synced
  ::fsync(folder);
  ::close(folder);
}

}  // namespace

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
    // What is written to a folder is lost with it, if a power loss comes before this.
    for (stdfs::path at = path_; !made_.empty(); at = at.parent_path()) {
      sync_folder(at.parent_path());
      if (at == made_) break;
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
