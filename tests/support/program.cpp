#include "support/program.h"

#include <sys/wait.h>

#include <cstdlib>

#include "support/files.h"

namespace gs::test {

Outcome run_program(const std::string& arguments, const std::string& environment) {
  const TempFolder folder;
  const std::string out = (folder / "out").string(), err = (folder / "err").string();
  const std::string command = environment + " '" GS_TEST_BINARY_DIR "/graphsurgeon' " + arguments +
                              " >'" + out + "' 2>'" + err + "'";
  const int status = std::system(command.c_str());
  Outcome outcome;
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_text(out);
  outcome.err = read_text(err);
  return outcome;
}

}  // namespace gs::test
