// Progress reporting for long-running work. The library only calls the interface; the command line
// decides whether that is a bar on a terminal (with rate and time left), an occasional plain line
// in a pipe, or nothing (--quiet).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gs {

class Progress {
 public:
  virtual ~Progress() = default;
  // Begins a task of `total` units (0: unknown). `unit` as in "edges"; a task replaces the one
  // before it.
  virtual void start(std::string_view task, int64_t total, std::string_view unit) = 0;
  virtual void advance(int64_t units) = 0;       // thread-safe
  virtual void note(std::string_view text) = 0;  // shown after the bar, e.g. "loss 12.3"
  virtual void finish() = 0;
  virtual void say(std::string_view) {}  // prints a line of its own
};

Progress& no_progress();  // reports nothing; the default argument everywhere

enum class ProgressStyle { bar, lines, silent };
// Writes to standard error. `detect_progress_style` is bar on a terminal, lines in a pipe.
std::unique_ptr<Progress> make_progress(ProgressStyle style);
ProgressStyle detect_progress_style(bool quiet);

}  // namespace gs
