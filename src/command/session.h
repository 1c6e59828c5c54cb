// What a command changes in the process while it runs: the number of threads, ours and libtorch's,
// for the calling thread; libtorch's warnings, which are not for our users, are silenced; tensor
// memory is recycled. All of it is as it was before when the session ends. Sessions in several
// threads at once do not disturb each other.
#pragma once

#include <memory>

namespace gs {

class Session {
 public:
  explicit Session(int threads);  // 0: every core this process may run on
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gs
