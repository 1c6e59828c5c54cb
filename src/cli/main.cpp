#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/program.h"

namespace {

// Threads that wait must not keep a core from another process: libgomp lets them spin for
// milliseconds by default, so that trainings side by side slow each other down. It reads this as it
// is loaded, before main, so the program starts itself once more. Brief spins stay, since most
// waits within an epoch are brief.
void spin_briefly(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY")) return;
  ::setenv("GOMP_SPINCOUNT", "2000", 1);
  ::execv("/proc/self/exe", argv);  // where that fails, they spin
}

// torchrun starts one process per rank, and only Python can make them a group: each of these would
// train by itself.
bool is_lone_rank(std::string_view command) {
  const char* ranks = std::getenv("WORLD_SIZE");
  return std::getenv("RANK") && std::getenv("MASTER_ADDR") && ranks && std::atoi(ranks) > 1 &&
         (command == "train" || command == "embed");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && is_lone_rank(argv[1])) {
    std::fputs(
        "error: this program cannot join the ranks that torchrun starts\n"
        "hint: run torchrun ... -m graphsurgeon, or the graphsurgeon command that pip installs\n",
        stderr);
    return 2;
  }
  if (argc > 1) spin_briefly(argv);
  return gs::cli::run_program(argc, argv);
}
