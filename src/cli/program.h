// The whole program: parses a command line, runs its command, and turns errors into a line on
// standard error and an exit code (0 done, 2 wrong usage, 3 bad data, 4 interrupted, 1 our bug).
#pragma once

namespace gs::cli {

// Without `reports_usage` wrong usage is not reported: another process has the same command line.
int run_program(int argc, char** argv, bool reports_usage = true);

}  // namespace gs::cli
