// Runs the built program as a user does: exit code, standard output and standard error.
#pragma once

#include <filesystem>
#include <string>

namespace gs::test {

struct Outcome {
  int exit_code = -1;  // 128 + signal when it was killed
  std::string out, err;
};

// Arguments as one would type them in a shell. `environment` goes in front: "OMP_NUM_THREADS=1".
Outcome run_program(const std::string& arguments, const std::string& environment = {});

}  // namespace gs::test
