#include "base/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/cgroup.h"
#include "base/error.h"

namespace gs {

namespace {

// 0 where no scope is open.
thread_local int scoped_threads = 0;

// Whether this process lacks threads that its parent had.
std::atomic<bool> threads_lost = false;

bool has_other_threads() {
  struct stat status {};
  constexpr nlink_t kOneThread = 3;  // the folder, its "." and its only entry
  return ::stat("/proc/self/task", &status) != 0 || status.st_nlink > kOneThread;
}

[[maybe_unused]] const int fork_handlers = [] {
  static std::atomic<bool> several = false;
  return ::pthread_atfork([] { several = has_other_threads(); }, nullptr,
                          [] { threads_lost = threads_lost || several; });
}();

// Cores granted by affinity, and by the quotas of its cgroups when there are any.
int count_cores() {
  cpu_set_t set;
  const int cores = sched_getaffinity(0, sizeof set, &set) == 0
                        ? CPU_COUNT(&set)
                        : static_cast<int>(std::thread::hardware_concurrency());
  const int64_t granted = cgroup_cores(kCgroupMount, own_cgroups());
  return static_cast<int>(std::max<int64_t>(1, std::min<int64_t>(cores, granted)));
}

// `wanted`, or 1 where the system has no room for so many threads: the OpenMP runtime would end the
// process. Tried once for each number.
int startable(int wanted) {
  static std::mutex mutex;
  static int most = 1;
  const std::lock_guard lock(mutex);
  if (wanted <= most) return wanted;
  std::atomic<bool> done = false;
  std::vector<std::thread> started;
  bool all = true;
  try {
    started.reserve(static_cast<size_t>(wanted));
    while (std::ssize(started) + 1 < wanted)
      started.emplace_back([&] { done.wait(false); });  // all exist at once
  } catch (const std::exception&) {                     // no thread, or no memory for one
    all = false;
  }
  done = true;
  done.notify_all();
  for (std::thread& thread : started) thread.join();
  if (all) most = wanted;
  return all ? wanted : 1;
}

// Runs body over the pieces [cuts[p], cuts[p + 1]); rethrows the first exception in piece order.
void run_pieces(const std::vector<int64_t>& cuts,
                const std::function<void(int64_t, int64_t)>& body) {
  const int64_t pieces = static_cast<int64_t>(cuts.size()) - 1;
  const int workers = threads();
  if (pieces == 1 || workers == 1 || omp_in_parallel()) {
    for (int64_t p = 0; p < pieces; ++p)
      if (cuts[p] < cuts[p + 1]) body(cuts[p], cuts[p + 1]);
    return;
  }
  std::vector<std::exception_ptr> errors(static_cast<size_t>(pieces));
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
  for (int64_t p = 0; p < pieces; ++p) {
    try {
      if (cuts[p] < cuts[p + 1]) body(cuts[p], cuts[p + 1]);
    } catch (...) {
      errors[static_cast<size_t>(p)] = std::current_exception();
    }
  }
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

constexpr int64_t kPiecesPerThread = 16;  // slack for uneven cores and pieces

int64_t piece_count(int64_t count, int64_t grain) {
  const int64_t most = std::max<int64_t>(1, count / std::max<int64_t>(1, grain));
  const int workers = threads();
  return std::min<int64_t>(most, workers == 1 ? 1 : workers * kPiecesPerThread);
}

}  // namespace

int available_threads() {
  static const int cores = startable(count_cores());
  return threads_lost ? 1 : cores;
}

int threads() { return scoped_threads > 0 && !threads_lost ? scoped_threads : available_threads(); }

ThreadScope::ThreadScope(int threads)
    : before_(
          std::exchange(scoped_threads, threads > 0 ? startable(threads) : available_threads())) {}
ThreadScope::~ThreadScope() { scoped_threads = before_; }

void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
  if (count <= 0) return;
  const int64_t pieces = piece_count(count, grain);
  std::vector<int64_t> cuts(static_cast<size_t>(pieces) + 1);
  for (int64_t p = 0; p <= pieces; ++p)
    cuts[static_cast<size_t>(p)] = count / pieces * p + std::min(p, count % pieces);
  run_pieces(cuts, body);
}

void parallel_for_weighted(std::span<const int64_t> prefix, int64_t grain,
                           const std::function<void(int64_t, int64_t)>& body) {
  const int64_t count = static_cast<int64_t>(prefix.size()) - 1;
  if (count <= 0) return;
  const auto cost = [&](int64_t i) { return prefix[static_cast<size_t>(i)] - prefix[0] + i; };
  const int64_t pieces = piece_count(std::max(cost(count), count), grain);
  std::vector<int64_t> cuts{0};
  for (int64_t p = 1; p < pieces; ++p) {
    const double goal =
        static_cast<double>(cost(count)) * static_cast<double>(p) / static_cast<double>(pieces);
    int64_t low = cuts.back(), high = count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (static_cast<double>(cost(middle)) < goal) low = middle + 1;
      else high = middle;
    }
    cuts.push_back(low);
  }
  cuts.push_back(count);
  run_pieces(cuts, body);
}

double parallel_sum(int64_t count, int64_t block,
                    const std::function<double(int64_t, int64_t)>& body) {
  GS_ASSERT(block > 0);
  const int64_t blocks = (count + block - 1) / block;
  std::vector<double> partial(static_cast<size_t>(std::max<int64_t>(0, blocks)));
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b)
      partial[static_cast<size_t>(b)] = body(b * block, std::min(count, (b + 1) * block));
  });
  double total = 0;
  for (const double value : partial) total += value;
  return total;
}

int64_t exclusive_scan(std::span<int64_t> values) {
  int64_t total = 0;
  for (int64_t& value : values) total += std::exchange(value, total);
  return total;
}

}  // namespace gs
