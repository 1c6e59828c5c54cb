#include "nn/memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>

namespace gs {

namespace {

constexpr size_t kLarge = size_t{1} << 20;  // smaller blocks are left to malloc
constexpr size_t kGrain = size_t{1} << 16;  // large ones are a multiple of this
constexpr size_t kHugePage = size_t{2} << 20;
constexpr double kSlack = 1.25;  // a kept block may be this much larger than what is asked for
constexpr double kSpare = 1.5;   // in use and kept together, in units of the most ever in use

struct Block {
  void* data;
  size_t size;
};

void* aligned(size_t alignment, size_t size) {
  void* data = nullptr;
  if (posix_memalign(&data, alignment, size) != 0) throw std::bad_alloc();
  return data;
}

class Recycler : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t size) override {
    if (size < kLarge) {
      void* data = size == 0 ? nullptr : aligned(64, size);
      return {data, data, &std::free, at::kCPU};
    }
    auto block = std::make_unique<Block>(take((size + kGrain - 1) / kGrain * kGrain));
    void* data = block->data;
    return {data, block.release(), &give_back, at::kCPU};
  }

  void copy_data(void* to, const void* from, size_t count) const override {
    default_copy_data(to, from, count);
  }

  static Recycler& instance() {
    static auto* recycler = new Recycler;  // outlives every tensor
    return *recycler;
  }

 private:
  Block take(size_t size) {
    const std::lock_guard lock(mutex_);
    const auto kept = kept_.lower_bound(size);
    Block block{};
    if (kept != kept_.end() &&
        static_cast<double>(kept->first) <= kSlack * static_cast<double>(size)) {
      block = {kept->second, kept->first};
      kept_bytes_ -= kept->first;
      kept_.erase(kept);
    } else {
      const auto most =
          static_cast<size_t>(kSpare * static_cast<double>(std::max(peak_, in_use_ + size)));
      while (!kept_.empty() && in_use_ + kept_bytes_ + size > most) {
        const auto largest = std::prev(kept_.end());
        std::free(largest->second);
        kept_bytes_ -= largest->first;
        kept_.erase(largest);
      }
      block = {aligned(kHugePage, size), size};
      madvise(block.data, size, MADV_HUGEPAGE);  // a wish: nothing is lost when it is refused
    }
    in_use_ += block.size;
    peak_ = std::max(peak_, in_use_);
    return block;
  }

  static void give_back(void* context) {
    const std::unique_ptr<Block> block(static_cast<Block*>(context));
    Recycler& self = instance();
    const std::lock_guard lock(self.mutex_);
    self.in_use_ -= block->size;
    self.kept_bytes_ += block->size;
    self.kept_.emplace(block->size, block->data);
  }

  std::mutex mutex_;
  std::multimap<size_t, void*> kept_;
  size_t in_use_ = 0, kept_bytes_ = 0, peak_ = 0;
};

}  // namespace

void recycle_tensor_memory() {
  static const bool once = [] {
    c10::SetCPUAllocator(&Recycler::instance(), 1);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace gs
