// Uninitialized memory for large arrays that are filled right away. A vector would write zeros
// first, and the system hands out small pages one fault at a time; this asks for huge ones.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace gs {

// At least `bytes` bytes, aligned for any type. Throws std::bad_alloc when there is not enough
// memory.
std::shared_ptr<void> uninitialized_bytes(int64_t bytes);

// Bytes that this process could still allocate: the available memory of the system, or what is left
// of the cgroup's limit if that is less.
int64_t available_memory();

template <class T>
std::shared_ptr<T[]> uninitialized(int64_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::shared_ptr<void> bytes = uninitialized_bytes(count * static_cast<int64_t>(sizeof(T)));
  T* const first = static_cast<T*>(bytes.get());
  return std::shared_ptr<T[]>(std::move(bytes), first);
}

}  // namespace gs
