// Parallel loops on the one OpenMP runtime of the process (libtorch's). An exception thrown in a
// body is carried out of the loop and rethrown (the first by block order). Bodies get whole ranges
// [begin, end) and must not depend on how the range was cut, so that any number of threads gives
// the same result.
//
// Thread safety: the number of threads belongs to the calling thread, so that two threads may run
// loops at once, each with a number of its own. A thread that is started later does not inherit it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace gs {

// Cores this process may run on, with affinity and the cgroup quota respected. 1 in a process that
// was forked from one with several threads: those of the OpenMP runtime are missing there, and a
// loop that waited for them would never end.
int available_threads();

// Threads that loops of the calling thread use: those of its innermost ThreadScope, or else
// available_threads().
int threads();

// Sets threads() of the calling thread until the end of the scope; 0 means available_threads().
// With 1, loops run in the calling thread alone and do not touch OpenMP, as they must in threads
// that work beside the one that computes.
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

// Calls body(begin, end) over pieces of [0, count) of at least `grain` items.
void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

// As above, cut so that the pieces have near-equal weight. `prefix` has count + 1 ascending
// entries, item i weighing prefix[i + 1] - prefix[i]; a CSR's offsets are exactly that, so rows are
// balanced by edges. Every item costs one besides its weight, so that long runs of empty rows are
// shared out too.
void parallel_for_weighted(std::span<const int64_t> prefix, int64_t grain,
                           const std::function<void(int64_t, int64_t)>& body);

// Sum of body(begin, end) over fixed blocks of `block` items, added in block order: the same bits
// on any thread count.
double parallel_sum(int64_t count, int64_t block,
                    const std::function<double(int64_t, int64_t)>& body);

// In place: values[i] becomes the sum of values[0..i). Returns the total.
int64_t exclusive_scan(std::span<int64_t> values);

}  // namespace gs
