#include "nn/blas.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <cstdlib>

namespace gs {

namespace {

// MKL's products have the same bits on any number of threads only if this is set before the first
// of them. A value of the user's stays.
[[maybe_unused]] const int same_bits = ::setenv("MKL_CBWR", "AUTO,STRICT", /*overwrite=*/0);

// MKL is inside libtorch and has no header there; another BLAS has no such function, nor the need.
using SetThreads = int (*)(int);
SetThreads mkl_set_threads() {
  static const auto found =
      reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "MKL_Set_Num_Threads_Local"));
  return found;
}

}  // namespace

OneBlasThread::OneBlasThread() {
  // libtorch's first call in a thread sets MKL's threads too: before us, not after. That it was
  // called is kept in an inline function, of which this library and libtorch have one copy each.
  at::internal::lazy_init_num_threads();
  at::get_num_threads();
  if (const SetThreads set = mkl_set_threads()) before_ = set(1);
}

OneBlasThread::~OneBlasThread() {
  if (const SetThreads set = mkl_set_threads()) set(before_);
}

}  // namespace gs
