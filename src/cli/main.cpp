#include "cli/program.h"

int main(int argc, char** argv) { return gs::cli::run_program(argc, argv); }
