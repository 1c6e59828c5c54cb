// Times load_dataset on a file: prints the milliseconds of each repeat, edges and nonzeros.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "dataset/load.h"

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: bench_read FILE REPEATS\n"), 2;
  long long edges = 0, nonzeros = 0;
  std::printf("{\"ms\": [");
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    const auto begun = std::chrono::steady_clock::now();
    const gs::Dataset data = gs::load_dataset(argv[1], gs::LoadOptions{});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begun;
    std::printf("%s%.3f", i ? ", " : "", took.count());
    edges = data.graph.edges(), nonzeros = data.features.nonzeros();
  }
  std::printf("], \"edges\": %lld, \"nonzeros\": %lld}\n", edges, nonzeros);
}
