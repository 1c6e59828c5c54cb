// The ranks of a training: processes that each hold a share of one graph and take every step
// together. Every call is collective: all ranks make the same calls in the same order, and results
// that all of them get have the same bits on each. alone() is the one process of an ordinary
// training.
//
// Throws an Error of kind interrupted that names the ranks that did not answer within the timeout.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace at {
class Tensor;
}

namespace gs {

class Ranks {
 public:
  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int64_t rank() const = 0;  // in [0, size)
  virtual int64_t size() const = 0;
  bool first() const { return rank() == 0; }
  bool several() const { return size() > 1; }

  // Sums over the ranks, in place, in an order that depends only on their number.
  virtual void reduce(double* values, int64_t count) const = 0;
  virtual void reduce(at::Tensor& values) const = 0;  // contiguous, on the CPU
  // Sends the first send[0] rows of `rows` to rank 0, the next send[1] to rank 1, and so on;
  // returns the rows received, those of rank 0 first. receive[r] is what rank r sends here. Ranks
  // without rows for each other exchange nothing.
  virtual at::Tensor exchange(const at::Tensor& rows, const std::vector<int64_t>& send,
                              const std::vector<int64_t>& receive) const = 0;
  // The bytes of every rank, in their order.
  virtual std::vector<std::string> gather(const std::string& bytes) const = 0;
  // The bytes of rank 0.
  virtual std::string broadcast(const std::string& bytes) const = 0;

  // The bytes that each rank has for this one, given those of this one for each.
  std::vector<std::string> exchange(const std::vector<std::string>& bytes) const;
  double sum(double value) const {
    reduce(&value, 1);
    return value;
  }
  // Does the same on every rank. If it fails on some, it fails on all: the first of them throws its
  // own Error, the others one of the same kind without a text.
  void together(const std::function<void()>& work) const;
  // Throws what all ranks found alike: the first one the Error, the others one without a text.
  [[noreturn]] void fail(const Error& error) const;
  // Sum over the ranks of equally shaped values; the gradient passes to each rank's own.
  at::Tensor summed(const at::Tensor& values) const;
};

// The only rank of a training by itself.
const Ranks& alone();

// The ranks of a process group of torch.distributed, by the name that Python gave it; alone() for
// an empty name. The group must outlive the result.
std::shared_ptr<const Ranks> ranks_of_group(const std::string& name);

}  // namespace gs
