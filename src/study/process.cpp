#include "study/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

#include "base/error.h"

namespace gs {

namespace {

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      fail_data("pipe", "cannot be made", "too many open files?");
  }
  ~Pipe() { close_read(), close_write(); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_read() { close(ends_[0]); }
  void close_write() { close(ends_[1]); }
  bool open() const { return ends_[0] >= 0; }

  // Appends what has come; closes the end once there is nothing more to come.
  void drain(std::string& out) {
    char buffer[1 << 14];
    const ssize_t got = read(ends_[0], buffer, sizeof buffer);
    if (got > 0) out.append(buffer, static_cast<size_t>(got));
    else close_read();
  }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

pid_t spawn(const std::vector<std::string>& arguments, const Pipe& output, const Pipe& errors) {
  std::vector<char*> argv;
  std::string name = "graphsurgeon";
  argv.push_back(name.data());
  for (const std::string& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write to them
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write_end(), STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail_data("graphsurgeon", "cannot be started again", "is there memory left?");
  return child;
}

}  // namespace

ProcessResult run_program(const std::vector<std::string>& arguments,
                          const std::atomic<bool>* stop) {
  const auto begun = std::chrono::steady_clock::now();
  Pipe output, errors;
  const pid_t child = spawn(arguments, output, errors);
  output.close_write(), errors.close_write();
  ProcessResult result;
  bool asked = false;
  while (output.open() || errors.open()) {
    pollfd waiting[] = {{output.read_end(), POLLIN, 0}, {errors.read_end(), POLLIN, 0}};
    poll(waiting, 2, 200);
    if (stop && *stop && !asked) kill(child, SIGTERM), asked = true;
    if (output.open() && waiting[0].revents != 0) output.drain(result.output);
    if (errors.open() && waiting[1].revents != 0) errors.drain(result.errors);
  }
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return result;
}

}  // namespace gs
