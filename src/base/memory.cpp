#include "base/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace gs {

std::shared_ptr<void> uninitialised_bytes(int64_t bytes) {
  constexpr int64_t kHugePage = int64_t{1} << 21;
  void* memory = nullptr;
  if (bytes < kHugePage / 2) {
    memory = std::malloc(static_cast<size_t>(bytes) + 1);
  } else {
    // The last page too, when the array fills at least half of it.
    const int64_t huge = (bytes + kHugePage / 2) / kHugePage * kHugePage;
    const int64_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    memory = std::aligned_alloc(static_cast<size_t>(kHugePage), static_cast<size_t>(whole));
    if (memory) madvise(memory, static_cast<size_t>(huge), MADV_HUGEPAGE);  // a wish; may fail
  }
  if (!memory) throw std::bad_alloc();
  return {memory, std::free};
}

}  // namespace gs
