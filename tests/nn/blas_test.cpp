#include "nn/blas.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <thread>

namespace gs {
namespace {

// A thread that has not called libtorch before: its first call there must not undo the scope.
TEST(OneBlasThread, HoldsThroughTheFirstCallsOfAThread) {
  const auto get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MKL_Get_Max_Threads"));
  if (!get) GTEST_SKIP() << "this libtorch has another BLAS";
  const int before = at::get_num_threads();
  at::set_num_threads(2);
  int inside = 0;
  std::thread([&] {
    const OneBlasThread alone;
    const at::Tensor large = at::ones({300, 300}).index_select(0, at::arange(300)) + 1;
    at::mm(large, large.to_sparse_csr().to_dense());
    inside = get();
  }).join();
  at::set_num_threads(before);
  EXPECT_EQ(inside, 1);
}

}  // namespace
}  // namespace gs
