// A thread's own buffer for packed tiles: grows, is kept between calls, and is aligned to a cache
// line.
#pragma once

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
      const size_t bytes = (count * sizeof(float) + 63) / 64 * 64;
      data_.reset(static_cast<float*>(std::aligned_alloc(64, bytes)));
      if (!data_) throw std::bad_alloc();
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
