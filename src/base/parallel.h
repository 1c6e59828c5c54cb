// Parallel loops on the one OpenMP runtime of the process (libtorch's). An exception thrown in a
// body is carried out of the loop and rethrown (the first by block order). Bodies get whole ranges
// [begin, end) and must not depend on how the range was cut, so that any number of threads gives
// the same result.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace gs {

int threads();  // threads that the loops below use
void set_threads(
    int count);  // 0: all cores this process may run on (affinity and cgroup quota respected)

// While one lives, the loops below run in the calling thread alone, and do not touch OpenMP. For
// threads that work beside the one that computes.
class SerialLoops {
 public:
  SerialLoops();
  ~SerialLoops();
  SerialLoops(const SerialLoops&) = delete;
  SerialLoops& operator=(const SerialLoops&) = delete;

 private:
  bool before_;
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
