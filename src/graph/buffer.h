// Uninitialized memory for large arrays that are filled in random order. Unlike a vector it grows
// and shrinks without copying when large, and asks for huge pages; share() makes it an Array.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "base/array.h"

namespace gs {

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(int64_t size) { resize(size); }

  T* data() { return data_.get(); }
  T& operator[](int64_t i) { return data_.get()[i]; }
  int64_t size() const { return size_; }

  // Keeps what fits; new elements are uninitialized. Pages of a large buffer are neither copied nor
  // touched.
  void resize(int64_t size) {
    const size_t bytes = static_cast<size_t>(size) * sizeof(T);
    void* moved = std::realloc(static_cast<void*>(data_.get()), bytes + 1);
    if (!moved) throw std::bad_alloc();
    static_cast<void>(data_.release());
    data_.reset(static_cast<T*>(moved));
    size_ = size;
    constexpr uintptr_t kHugePage = uintptr_t{1} << 21;
    const auto first = (reinterpret_cast<uintptr_t>(moved) + kHugePage - 1) / kHugePage * kHugePage;
    const auto last = (reinterpret_cast<uintptr_t>(moved) + bytes) / kHugePage * kHugePage;
    if (first < last)
      madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);  // a wish; may fail
  }

  // The contents as an Array of U, a type of the same layout; the buffer is empty afterwards.
  template <class U = T>
  Array<U> share() {
    static_assert(sizeof(U) == sizeof(T));
    const std::span<const U> view(reinterpret_cast<const U*>(data_.get()),
                                  static_cast<size_t>(size_));
    size_ = 0;
    return Array<U>(std::shared_ptr<const void>(std::move(data_)), view);
  }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
  int64_t size_ = 0;
};

}  // namespace gs
