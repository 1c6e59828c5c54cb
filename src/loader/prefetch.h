// Batches made ahead by worker threads and returned strictly in order. The workers never enter
// OpenMP, which is left to the training thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "loader/loader.h"

namespace gs {

struct PrefetchOptions {
  int64_t workers = 1;           // 0: next() makes the batch itself
  int64_t ready = 4;             // batches made ahead, including those in the making
  int64_t epoch = 0, index = 0;  // the first batch
  // The end: no batch of this epoch or a later one is made.
  int64_t epochs = std::numeric_limits<int64_t>::max();
};

class Prefetch {
 public:
  // The loader must outlive it.
  Prefetch(const Loader& loader, const PrefetchOptions& options);
  ~Prefetch();  // waits for the batches in the making
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  struct Batch {
    int64_t epoch = 0, index = 0;
    Sample sample;
    double wait_seconds = 0;  // time that the caller waited for it
  };
  // The next batch in order. Throws what making it threw; the next call continues with the batch
  // after it. Internal Error after the last batch of the last epoch.
  Batch next();

 private:
  struct Slot {
    bool ready = false;
    Sample sample;
    std::exception_ptr error;
  };

  int64_t epoch_of(int64_t ticket) const { return ticket / loader_.batches(); }
  int64_t index_of(int64_t ticket) const { return ticket % loader_.batches(); }
  Slot make(int64_t ticket, LoaderWorkspace& workspace) const;
  void work();
  void stop();

  const Loader& loader_;
  const int64_t end_;  // tickets: epoch x batches + index
  int64_t next_made_, next_given_;
  std::vector<Slot> slots_;  // ticket t is at t mod slots
  bool stop_ = false;
  std::mutex mutex_;
  std::condition_variable room_, made_;
  LoaderWorkspace own_;  // used without workers
  std::vector<std::thread> threads_;
};

}  // namespace gs
