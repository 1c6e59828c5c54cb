#include "loader/prefetch.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"

namespace gs {

namespace {

int64_t end_ticket(int64_t batches, int64_t epochs) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  return epochs > most / batches ? most : epochs * batches;
}

}  // namespace

Prefetch::Prefetch(const Loader& loader, const PrefetchOptions& options)
    : loader_(loader),
      end_(end_ticket(loader.batches(), options.epochs)),
      next_made_(options.epoch * loader.batches() + options.index),
      next_given_(next_made_),
      slots_(static_cast<size_t>(std::max<int64_t>(1, options.ready))) {
  GS_ASSERT(options.epoch >= 0 && options.index >= 0 && options.index < loader.batches());
  try {
    for (int64_t i = 0; i < options.workers; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {  // a thread could not be started: those that run must end first
    stop();
    throw;
  }
}

Prefetch::~Prefetch() { stop(); }

void Prefetch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  room_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Prefetch::Slot Prefetch::make(int64_t ticket, LoaderWorkspace& workspace) const {
  Slot slot;
  slot.ready = true;
  try {
    slot.sample = loader_.sample(epoch_of(ticket), index_of(ticket), workspace);
  } catch (...) {
    slot.error = std::current_exception();
  }
  return slot;
}

void Prefetch::work() {
  const ThreadScope alone(1);
  LoaderWorkspace workspace;
  std::unique_lock lock(mutex_);
  for (;;) {
    room_.wait(lock, [&] {
      return stop_ || next_made_ == end_ || next_made_ < next_given_ + std::ssize(slots_);
    });
    if (stop_ || next_made_ == end_) return;
    const int64_t ticket = next_made_++;
    lock.unlock();
    Slot slot = make(ticket, workspace);
    lock.lock();
    slots_[static_cast<size_t>(ticket % std::ssize(slots_))] = std::move(slot);
    made_.notify_one();
  }
}

Prefetch::Batch Prefetch::next() {
  const auto start = std::chrono::steady_clock::now();
  GS_ASSERT(next_given_ < end_);
  const int64_t ticket = next_given_;
  Slot slot;
  if (threads_.empty()) {
    slot = make(ticket, own_);
    ++next_given_;
  } else {
    std::unique_lock lock(mutex_);
    Slot& awaited = slots_[static_cast<size_t>(ticket % std::ssize(slots_))];
    made_.wait(lock, [&] { return awaited.ready; });
    slot = std::exchange(awaited, {});
    ++next_given_;
    lock.unlock();
    room_.notify_one();
  }
  if (slot.error) std::rethrow_exception(slot.error);
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  return {epoch_of(ticket), index_of(ticket), std::move(slot.sample), waited.count()};
}

}  // namespace gs
