// One writer per run folder: the lock of the folder itself, which the system gives back when the
// process ends in any way, so that none is ever left behind.
#pragma once

#include <functional>

#include "run/folder.h"

namespace gs {

class RunLock {
 public:
  // Makes the folder if there is none, locks it, then calls `check`, which may refuse it; a folder
  // that was made for it is then removed again. Data Error if another training holds the lock.
  // Where the file system has no locks, there is none.
  RunLock(const RunFolder& folder, const std::function<void()>& check);
  // Removes the folder if it was made here and is still empty.
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  void release();

  std::filesystem::path path_;
  std::filesystem::path made_;  // the outermost folder that was made, or empty
  int descriptor_ = -1;
};

}  // namespace gs
