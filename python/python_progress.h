// Progress of a long call, reported to a Python object from the calling thread.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/progress.h"

namespace gs {

namespace py = pybind11;

// Text that may hold a path, which may be in any encoding, as os.fsdecode() gives it.
inline py::str text_of(std::string_view bytes) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeFSDefaultAndSize(bytes.data(), std::ssize(bytes)));
}

// Reports progress to a Python object (start, advance, finish, say) at most every kPause and checks
// for Ctrl-C. An exception of Python, an interrupt or an error of the object, sets `stop`;
// rethrow() raises it again once the core has stopped.
class PythonProgress : public Progress {
 public:
  explicit PythonProgress(py::object listener)
      : listener_(std::move(listener)), owner_(std::this_thread::get_id()) {}

  const std::atomic<bool>* stop() const { return &stop_; }

  void start(std::string_view task, int64_t total, std::string_view unit) override {
    report([&] { listener_.attr("start")(text_of(task), total, text_of(unit)); });
  }
  void advance(int64_t units) override {
    pending_ += units;
    if (std::this_thread::get_id() != owner_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - reported_ < kPause) return;
    reported_ = now;
    report([&] { listener_.attr("advance")(pending_.exchange(0), text_of(note_)); });
  }
  void note(std::string_view text) override {
    if (std::this_thread::get_id() == owner_) note_ = text;
  }
  void finish() override {
    report([&] {
      listener_.attr("advance")(pending_.exchange(0), text_of(note_));
      listener_.attr("finish")();
    });
  }
  void say(std::string_view text) override {
    report([&] { listener_.attr("say")(text_of(text)); });
  }

  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  // Short enough to show every epoch that takes noticeable time, long enough to cost nothing.
  static constexpr std::chrono::milliseconds kPause{20};

  template <class Call>
  void report(const Call& call) {
    if (raised_ || std::this_thread::get_id() != owner_) return;
    const py::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      call();
    } catch (const py::error_already_set&) {
      raised_ = std::current_exception();
      stop_ = true;
    }
  }

  py::object listener_;
  std::thread::id owner_;
  std::atomic<int64_t> pending_ = 0;
  std::atomic<bool> stop_ = false;
  std::string note_;
  std::chrono::steady_clock::time_point reported_;
  std::exception_ptr raised_;
};

// Runs `work(progress)` without the lock. An exception of Python takes precedence over the core's
// own, which only says that the work was stopped.
template <class Work>
auto with_progress(py::object listener, const Work& work) {
  PythonProgress progress(std::move(listener));
  const auto guarded = [&] {
    const py::gil_scoped_release unlocked;
    return work(progress);
  };
  try {
    auto result = guarded();
    progress.rethrow();
    return result;
  } catch (const Error&) {
    progress.rethrow();
    throw;
  }
}

}  // namespace gs
