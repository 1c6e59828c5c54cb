// This program run once more, as a process of its own: so that the memory a training takes is its
// own, and one that is killed takes nothing with it.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace gs {

struct ProcessResult {
  int exit_code = 0;           // 128 + signal when it was killed
  std::string output, errors;  // what it wrote
  double seconds = 0, peak_mib = 0;
};

// `arguments` begin with the command ("train"). When `stop` becomes true the process is asked to
// end (SIGTERM) and waited for.
ProcessResult run_program(const std::vector<std::string>& arguments,
                          const std::atomic<bool>* stop = nullptr);

}  // namespace gs
