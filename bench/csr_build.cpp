// Builds the CSR of a random edge list, by default of 100 million edges, and prints one JSON
// object: time, rate, and peak memory beyond the input in units of the result's size.
//   bench_csr_build [--edges N] [--nodes N] [--seed S] [--threads T] [--symmetrize] [--weighted]
//   --mirrored: the list has each edge both ways, so that symmetrizing it doubles nothing
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "graph/csr.h"

namespace {

using namespace gs;

// A line of /proc/self/status in bytes.
int64_t memory(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1)) * 1024;
  return 0;
}

void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

struct ListOptions {
  int64_t edges = 100'000'000, nodes = 1'000'000, seed = 0;
  bool weighted = false, mirrored = false;
};

EdgeList random_list(const ListOptions& options) {
  EdgeList list;
  list.nodes = options.nodes;
  list.source.resize(options.edges), list.target.resize(options.edges);
  if (options.weighted) list.weight.resize(options.edges);
  const int64_t drawn = options.mirrored ? options.edges / 2 : options.edges;
  constexpr int64_t kBlock = 1 << 16;
  parallel_for((drawn + kBlock - 1) / kBlock, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      Random random = Random(options.seed).fork("edges", block);
      for (int64_t i = block * kBlock; i < std::min(drawn, (block + 1) * kBlock); ++i) {
        list.source[i] = static_cast<int32_t>(random.below(options.nodes));
        list.target[i] = static_cast<int32_t>(random.below(options.nodes));
        if (options.weighted) list.weight[i] = static_cast<float>(random.uniform());
      }
    }
  });
  for (int64_t i = drawn; i < options.edges; ++i) {
    list.source[i] = list.target[i - drawn];
    list.target[i] = list.source[i - drawn];
    if (options.weighted) list.weight[i] = list.weight[i - drawn];
  }
  return list;
}

// Checks that the result has every edge of the list, and no others.
void check(const Csr& graph, const EdgeList& list, const BuildOptions& options,
           const BuildCounts& counts) {
  validate(graph, "result");
  const auto has = [&](int32_t u, int32_t v) {
    const auto row = graph.row(v);
    GS_ASSERT(std::binary_search(row.begin(), row.end(), u));
  };
  for (int64_t i = 0; i < list.size(); i += std::max<int64_t>(1, list.size() / 1000003)) {
    has(list.source[i], list.target[i]);
    if (options.symmetrize) has(list.target[i], list.source[i]);
  }
  const int64_t distinct = list.size() - counts.duplicates;
  GS_ASSERT(options.symmetrize ? graph.edges() <= 2 * distinct : graph.edges() == distinct);
}

void run(int argc, char** argv) {
  int64_t threads = 0;
  ListOptions listed;
  BuildOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto number = [&] {
      if (++i == argc) fail_usage(name, "needs a number");
      return std::stoll(argv[i]);
    };
    if (name == "--edges") listed.edges = number();
    else if (name == "--nodes") listed.nodes = number();
    else if (name == "--seed") listed.seed = number();
    else if (name == "--threads") threads = number();
    else if (name == "--symmetrize") options.symmetrize = true;
    else if (name == "--weighted") listed.weighted = true;
    else if (name == "--mirrored") listed.mirrored = true;
    else fail_usage(name, "unknown option");
  }
  const ThreadScope scope(static_cast<int>(threads));

  EdgeList list = random_list(listed);
  const int64_t input_bytes = list.size() * (listed.weighted ? 12 : 8);
  forget_peak();
  const int64_t before = memory("VmRSS");
  const auto start = std::chrono::steady_clock::now();
  BuildCounts counts;
  const Csr graph = build_csr(std::move(list), options, &counts);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const int64_t extra = memory("VmHWM") - before, after = memory("RssAnon");
  check(graph, random_list(listed), options, counts);

  const nlohmann::ordered_json result{
      {"nodes", listed.nodes},
      {"listed_edges", listed.edges},
      {"stored_edges", graph.edges()},
      {"symmetrize", options.symmetrize},
      {"weighted", listed.weighted},
      {"mirrored", listed.mirrored},
      {"threads", gs::threads()},
      {"seconds", seconds.count()},
      {"edges_per_second", static_cast<double>(listed.edges) / seconds.count()},
      {"input_bytes", input_bytes},
      {"result_bytes", graph.bytes()},
      {"peak_extra_bytes", extra},
      {"peak_extra_per_result", static_cast<double>(extra) / static_cast<double>(graph.bytes())},
      {"rss_anon_after", after},
  };
  fmt::print("{}\n", result.dump(2));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_csr_build: {}\n", error.what());
    return 1;
  }
  return 0;
}
