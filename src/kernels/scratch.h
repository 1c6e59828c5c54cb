// A thread's own buffer for packed rows: grows, is kept between calls, is aligned to a cache line,
// and lies in huge pages when it is large.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace gs {

class Scratch {
 public:
  float* floats(size_t count) {
    if (count > capacity_) {
      data_.reset();
      constexpr size_t kHugePage = size_t{2} << 20;
      const size_t grain = count * sizeof(float) < 4 * kHugePage ? 64 : kHugePage;
      const size_t bytes = (count * sizeof(float) + grain - 1) / grain * grain;
      data_.reset(static_cast<float*>(std::aligned_alloc(grain, bytes)));
      if (!data_) throw std::bad_alloc();
      if (grain == kHugePage) madvise(data_.get(), bytes, MADV_HUGEPAGE);  // a wish; may fail
      capacity_ = count;
    }
    return data_.get();
  }

 private:
  struct Free {
    void operator()(float* data) const { std::free(data); }
  };
  std::unique_ptr<float, Free> data_;
  size_t capacity_ = 0;
};

}  // namespace gs
