// Numbers nodes of a graph 0, 1, ... as they come, through a map of N that the caller keeps; takes
// the numbers back at the end, come what may.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"

namespace gs {

class LocalIds {
 public:
  static constexpr int32_t kOutside = -1;

  // `local` has -1 everywhere, before and after; it is made larger where it is too small.
  LocalIds(int64_t nodes, std::vector<int32_t>& local) : nodes_(nodes), local_(local) {
    if (static_cast<int64_t>(local_.size()) < nodes_)
      local_.resize(static_cast<size_t>(nodes_), kOutside);
  }
  ~LocalIds() { forget(); }
  LocalIds(const LocalIds&) = delete;
  LocalIds& operator=(const LocalIds&) = delete;

  bool add(int32_t v) {  // false when it is there already
    GS_ASSERT(v >= 0 && v < nodes_);
    if (local_[v] != kOutside) return false;
    number(v);
    return true;
  }
  // The number of v, a new one where it has none. The caller knows that v is in range.
  int32_t number(int32_t v) {
    int32_t& id = local_[v];
    if (id == kOutside) {
      taken_.push_back(v);
      id = static_cast<int32_t>(taken_.size()) - 1;
    }
    return id;
  }
  int32_t operator[](int32_t v) const { return local_[v]; }
  const int32_t* address(int32_t v) const { return &local_[v]; }  // for fetching ahead
  const std::vector<int32_t>& nodes() const { return taken_; }
  std::vector<int32_t> take_nodes() {  // nothing is numbered afterwards
    forget();
    return std::exchange(taken_, {});
  }

 private:
  void forget() {
    for (const int32_t v : taken_) local_[v] = kOutside;
  }

  int64_t nodes_;
  std::vector<int32_t>& local_;
  std::vector<int32_t> taken_;
};

}  // namespace gs
