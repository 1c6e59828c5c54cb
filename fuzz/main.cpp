// The fuzzer: libFuzzer over one target of the table.
//
//   fuzz --list              the targets
//   fuzz --seeds DIR         writes the first inputs of every target to DIR/TARGET, and DIR/words
//   fuzz TARGET [-flag...] [CORPUS...]   libFuzzer's own flags
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/parallel.h"
#include "fuzz/targets.h"

extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                   int (*test)(const uint8_t* data, size_t size));

namespace {

namespace stdfs = std::filesystem;
using gs::fuzz::Target;

const Target* g_target = nullptr;

int run_one(const uint8_t* data, size_t size) {
  const gs::ThreadScope alone(1);
  g_target->run(*g_target, {data, size});
  return 0;
}

void write(const stdfs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

void write_seeds(const stdfs::path& folder) {
  for (const Target& target : gs::fuzz::targets()) {
    stdfs::create_directories(folder / target.name);
    int number = 0;
    for (const std::string& seed : target.seeds(target))
      write(folder / target.name / ("seed-" + std::to_string(number++)), seed);
  }
  write(folder / "words", gs::fuzz::dictionary());
}

}  // namespace

int main(int argc, char** argv) {
  const char* first = argc > 1 ? argv[1] : "--list";
  if (std::strcmp(first, "--list") == 0) {
    for (const Target& target : gs::fuzz::targets()) std::puts(target.name.c_str());
    return 0;
  }
  if (std::strcmp(first, "--seeds") == 0 && argc > 2) {
    write_seeds(argv[2]);
    return 0;
  }
  g_target = gs::fuzz::find_target(first);
  if (!g_target) {
    std::fprintf(stderr, "error: there is no target '%s'; --list names them\n", first);
    return 2;
  }
  argv[1] = argv[0];
  --argc, ++argv;
  return LLVMFuzzerRunDriver(&argc, &argv, run_one);
}
