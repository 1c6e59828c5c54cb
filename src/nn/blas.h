// libtorch's BLAS, called from within a parallel loop. MKL, told by libtorch to use all threads,
// may otherwise share work out to a team that the loop does not let it have, and leave half of it
// undone (seen with its sparse products).
#pragma once

namespace gs {

// While it lives, BLAS calls of this thread run on this thread alone.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_ = 0;
};

}  // namespace gs
