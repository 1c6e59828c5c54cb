// Times load_dataset on a file, in a process that has done nothing else: prints milliseconds and what was read.
#include <chrono>
#include <cstdio>

#include "dataset/load.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: bench_read FILE\n"), 2;
  const auto begun = std::chrono::steady_clock::now();
  const gs::Dataset data = gs::load_dataset(argv[1], gs::LoadOptions{});
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  std::printf("{\"ms\": %.3f, \"edges\": %lld, \"nonzeros\": %lld}\n", ms, static_cast<long long>(data.graph.edges()),
              static_cast<long long>(data.features.nonzeros()));
}
