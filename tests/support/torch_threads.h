// Runs libtorch with this many threads until the end of the scope. One is by far the fastest on
// tiny tensors.
#pragma once

#include <ATen/Parallel.h>

namespace gs::test {

class TorchThreads {
 public:
  explicit TorchThreads(int count) : before_(at::get_num_threads()) { at::set_num_threads(count); }
  ~TorchThreads() { at::set_num_threads(before_); }
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;

 private:
  int before_;
};

}  // namespace gs::test
