#include "base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <mutex>

namespace gs {

namespace {

using Clock = std::chrono::steady_clock;

std::string with_unit(double value) {
  static constexpr const char* kSuffix[] = {"", "k", "M", "G", "T"};
  int i = 0;
  while (value >= 1000 && i < 4) value /= 1000, ++i;
  return i == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}{}", value, kSuffix[i]);
}

std::string duration(double seconds) {
  const int64_t whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

class Silent final : public Progress {
 public:
  void start(std::string_view, int64_t, std::string_view) override {}
  void advance(int64_t) override {}
  void note(std::string_view) override {}
  void finish() override {}
  void say(std::string_view) override {}
};

class Terminal final : public Progress {
 public:
  explicit Terminal(bool bar) : bar_(bar), interval_(bar ? 0.1 : 10.0) {}
  ~Terminal() override { Terminal::finish(); }

  void start(std::string_view task, int64_t total, std::string_view unit) override {
    finish();
    const std::lock_guard lock(mutex_);
    task_ = task, unit_ = unit, total_ = total, done_ = 0, note_.clear();
    begun_ = shown_ = Clock::now();
    running_ = true, printed_ = false;
  }

  void advance(int64_t units) override {
    done_ += units;
    // A thread that finds it taken has nothing to add.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || !running_) return;
    const auto now = Clock::now();
    if (std::chrono::duration<double>(now - shown_).count() < interval_) return;
    shown_ = now;
    show(false);
  }

  void note(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    note_ = text;
  }

  void finish() override {
    const std::lock_guard lock(mutex_);
    if (!running_) return;
    running_ = false;
    const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    if (printed_ || seconds > 1) show(true);
  }

  void say(std::string_view line) override {
    finish();
    const std::lock_guard lock(mutex_);
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  }

 private:
  void show(bool last) {
    const double seconds =
        std::max(1e-9, std::chrono::duration<double>(Clock::now() - begun_).count());
    const int64_t done = done_;
    const double rate = static_cast<double>(done) / seconds;
    std::string line = task_ + " ";
    if (total_ > 0) {
      const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
      if (bar_) {
        const auto filled = static_cast<size_t>(share * 24);
        line += "[" + std::string(filled, '#') + std::string(24 - filled, '.') + "] ";
      }
      line += fmt::format("{:3.0f}% {}/{} {}", share * 100, with_unit(static_cast<double>(done)),
                          with_unit(static_cast<double>(total_)), unit_);
    } else {
      line += fmt::format("{} {}", with_unit(static_cast<double>(done)), unit_);
    }
    line += fmt::format(", {}/s", with_unit(rate));
    if (last) line += ", took " + duration(seconds);
    else if (total_ > done && rate > 0)
      line += ", " + duration(static_cast<double>(total_ - done) / rate) + " left";
    if (!note_.empty()) line += ", " + note_;
    if (bar_) {
      winsize size{};
      const size_t width =
          ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1u : 79u;
      std::fprintf(stderr, "\r\033[K%s%s", line.substr(0, width).c_str(), last ? "\n" : "");
    } else {
      std::fprintf(stderr, "%s\n", line.c_str());
    }
    std::fflush(stderr);
    printed_ = true;
  }

  const bool bar_;
  const double interval_;  // seconds between updates
  std::mutex mutex_;
  std::atomic<int64_t> done_ = 0;
  int64_t total_ = 0;
  std::string task_, unit_, note_;
  Clock::time_point begun_, shown_;
  bool running_ = false, printed_ = false;
};

}  // namespace

Progress& no_progress() {
  static Silent silent;
  return silent;
}

std::unique_ptr<Progress> make_progress(ProgressStyle style) {
  if (style == ProgressStyle::silent) return std::make_unique<Silent>();
  return std::make_unique<Terminal>(style == ProgressStyle::bar);
}

ProgressStyle detect_progress_style(bool quiet) {
  if (quiet) return ProgressStyle::silent;
  return isatty(STDERR_FILENO) ? ProgressStyle::bar : ProgressStyle::lines;
}

}  // namespace gs
