// Uninitialised memory for large arrays that are filled right away. A vector would write zeros
// first, and the system hands out small pages one fault at a time; this asks for huge ones.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace gs {

// At least `bytes` bytes, aligned for any type. std::bad_alloc when there is not so much.
std::shared_ptr<void> uninitialised_bytes(int64_t bytes);

// Bytes that this process could still take: what the system calls available, or what is left of a
// cgroup's limit when that is less.
int64_t available_memory();

template <class T>
std::shared_ptr<T[]> uninitialised(int64_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::shared_ptr<void> bytes = uninitialised_bytes(count * static_cast<int64_t>(sizeof(T)));
  T* const first = static_cast<T*>(bytes.get());
  return std::shared_ptr<T[]>(std::move(bytes), first);
}

}  // namespace gs
