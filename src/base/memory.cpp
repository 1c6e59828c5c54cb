#include "base/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "base/cgroup.h"

namespace gs {

namespace {

constexpr int64_t kHugePage = int64_t{1} << 21;

// Middling blocks that were freed, a few of them: reading a file frees one array as it asks for the
// next, and pages that were touched before need not be cleared again.
class Spare {
 public:
  void* take(int64_t size) {
    const std::lock_guard lock(mutex_);
    for (Block& block : blocks_)
      if (block.size == size) return std::exchange(block, {}).memory;
    return nullptr;
  }
  void keep(void* memory, int64_t size) {
    if (size <= kLargest) {
      const std::lock_guard lock(mutex_);
      std::swap(blocks_[next_].memory, memory);
      blocks_[next_].size = size;
      next_ = (next_ + 1) % blocks_.size();
    }
    std::free(memory);
  }

 private:
  static constexpr int64_t kLargest = int64_t{16} << 20;
  struct Block {
    void* memory = nullptr;
    int64_t size = 0;
  };
  std::mutex mutex_;
  std::array<Block, 3> blocks_;
  size_t next_ = 0;
};

Spare& spare() {
  static auto* blocks = new Spare;  // outlives every array
  return *blocks;
}

}  // namespace

int64_t available_memory() {
  int64_t bytes = std::numeric_limits<int64_t>::max();
  std::ifstream system("/proc/meminfo");
  for (std::string line; std::getline(system, line);)
    if (line.starts_with("MemAvailable:")) bytes = std::stoll(line.substr(13)) * 1024;
  return std::min(bytes, cgroup_memory_left(kCgroupMount, own_cgroups()));
}

std::shared_ptr<void> uninitialized_bytes(int64_t bytes) {
  if (bytes < kHugePage / 2) {
    void* const memory = std::malloc(static_cast<size_t>(bytes) + 1);
    if (!memory) throw std::bad_alloc();
    return {memory, std::free};
  }
  const int64_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = spare().take(whole);
  if (!memory) {
    // The last page too, when the array fills at least half of it.
    const int64_t huge = (bytes + kHugePage / 2) / kHugePage * kHugePage;
    memory = std::aligned_alloc(static_cast<size_t>(kHugePage), static_cast<size_t>(whole));
    if (!memory) throw std::bad_alloc();
    madvise(memory, static_cast<size_t>(huge), MADV_HUGEPAGE);  // a wish; may fail
  }
  return {memory, [whole](void* used) { spare().keep(used, whole); }};
}

}  // namespace gs
