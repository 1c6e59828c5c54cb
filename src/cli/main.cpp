#include <unistd.h>

#include <cstdlib>

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

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) spin_briefly(argv);
  return gs::cli::run_program(argc, argv);
}
