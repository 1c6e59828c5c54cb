#include "command/tensor_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <new>

namespace gs {

namespace {

constexpr size_t kLarge = size_t{1} << 20;  // smaller blocks are left to malloc
constexpr size_t kHugePage = size_t{2} << 20;
constexpr double kSlack = 1.25;  // a kept block may be this much larger than what is asked for
constexpr double kSpare = 1.2;   // in use and kept together, in units of the most ever in use

// Whole huge pages, unless that would waste much.
size_t rounded(size_t size) {
  const size_t grain = size >= 8 * kHugePage ? kHugePage : kHugePage / 32;
  return (size + grain - 1) / grain * grain;
}

struct Block {
  void* data;
  size_t size;
};

// Straight from the system and back to it: freed to malloc, such blocks would leave holes. Nothing
// if there is no memory.
Block map_block(size_t size) {
  const size_t room = size + kHugePage;
  void* const base =
      mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return {nullptr, 0};
  const auto begin = reinterpret_cast<uintptr_t>(base);
  const uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  if (first > begin) munmap(base, first - begin);
  if (first + size < begin + room)
    munmap(reinterpret_cast<void*>(first + size), begin + room - first - size);
  void* const data = reinterpret_cast<void*>(first);
  madvise(data, size, MADV_HUGEPAGE);  // a hint, which may be refused
  return {data, size};
}

void* small_block(size_t size) {
  void* data = nullptr;
  if (size > 0 && posix_memalign(&data, 64, size) != 0) throw std::bad_alloc();
  return data;
}

class Recycler : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t size) override {
    if (size < kLarge) {
      void* data = small_block(size);
      return {data, data, &std::free, at::kCPU};
    }
    auto block = std::make_unique<Block>(take(rounded(size)));
    void* data = block->data;
    return {data, block.release(), &give_back, at::kCPU};
  }

  void copy_data(void* to, const void* from, size_t count) const override {
    default_copy_data(to, from, count);
  }

  // Begins to hand out blocks in place of the process's own allocator, which end() restores.
  void begin() {
    const std::lock_guard lock(mutex_);
    if (users_++ > 0) return;
    before_ = c10::GetCPUAllocator();
    c10::SetCPUAllocator(this, kPriority);
  }

  void end() {
    const std::lock_guard lock(mutex_);
    if (--users_ > 0) return;
    c10::SetCPUAllocator(before_, kPriority);
    for (const Block& block : kept_) munmap(block.data, block.size);
    kept_.clear();
    kept_bytes_ = peak_ = 0;
  }

  static Recycler& instance() {
    static auto* recycler = new Recycler;  // outlives every tensor
    return *recycler;
  }

 private:
  Block take(size_t size) {
    const std::lock_guard lock(mutex_);
    auto best = kept_.end();
    for (auto it = kept_.begin(); it != kept_.end(); ++it)
      if (it->size >= size && static_cast<double>(it->size) <= kSlack * static_cast<double>(size) &&
          (best == kept_.end() || it->size <= best->size))
        best = it;
    Block block{};
    if (best != kept_.end()) {
      block = *best;
      kept_bytes_ -= block.size;
      kept_.erase(best);
    } else {
      const auto most =
          static_cast<size_t>(kSpare * static_cast<double>(std::max(peak_, in_use_ + size)));
      while (!kept_.empty() && in_use_ + kept_bytes_ + size > most) drop_oldest();
      for (block = map_block(size); !block.data; block = map_block(size)) {
        if (kept_.empty()) throw std::bad_alloc();
        drop_oldest();
      }
    }
    in_use_ += block.size;
    peak_ = std::max(peak_, in_use_);
    return block;
  }

  void drop_oldest() {  // the longest unused
    munmap(kept_.front().data, kept_.front().size);
    kept_bytes_ -= kept_.front().size;
    kept_.pop_front();
  }

  static void give_back(void* context) {
    const std::unique_ptr<Block> block(static_cast<Block*>(context));
    Recycler& self = instance();
    const std::lock_guard lock(self.mutex_);
    self.in_use_ -= block->size;
    if (self.users_ > 0) try {
        self.kept_.push_back(*block);
        self.kept_bytes_ += block->size;
        return;
      } catch (const std::bad_alloc&) {  // a tensor is freed where nothing may be thrown
      }
    munmap(block->data, block->size);
  }

  static constexpr uint8_t kPriority = 1;  // above the one that libtorch has by itself

  std::mutex mutex_;
  int users_ = 0;
  c10::Allocator* before_ = nullptr;
  std::list<Block> kept_;  // in the order they were given back
  size_t in_use_ = 0, kept_bytes_ = 0, peak_ = 0;
};

}  // namespace

void recycle_tensor_memory() {
  static const bool once = [] {
    Recycler::instance().begin();
    return true;
  }();
  static_cast<void>(once);
}

RecycledTensorMemory::RecycledTensorMemory() { Recycler::instance().begin(); }
RecycledTensorMemory::~RecycledTensorMemory() { Recycler::instance().end(); }

}  // namespace gs
