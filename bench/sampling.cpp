// Sampled edges per second of the neighbor loader, through Prefetch and without features: drawing,
// numbering, local rows and scales. The graph is R-MAT, by default with 233 thousand nodes and 40
// million entries.
//   bench_sampling [--nodes N] [--edges M] [--batch-size B] [--seconds S] [--weight] [--json]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "dataset/generate/generate.h"
#include "loader/loader.h"
#include "loader/prefetch.h"

namespace {

using namespace gs;

struct Settings {
  int64_t nodes = 233'000, edges = 40'000'000, batch_size = 1024;
  double seconds = 3;  // per case
  bool weight = false, json = false;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Dataset make_graph(const Settings& settings) {
  GenerateOptions options;
  options.generator = Generator::rmat;
  options.nodes = settings.nodes;
  options.edges = settings.edges;
  options.features = 0;
  Dataset data = generate(options);
  if (settings.weight) {
    Random random(1);
    std::vector<float> weights(static_cast<size_t>(data.graph.edges()));
    for (float& weight : weights) weight = static_cast<float>(random.uniform());
    data.graph.weights = std::move(weights);
    data.graph.symmetric = false;
  }
  data.features = {};
  return data;
}

// Checks that every entry is in the graph, none is repeated, and each row has the right number.
void check(const Csr& graph, const Sample& sample, const std::vector<int64_t>& fanouts) {
  for (size_t layer = 0; layer < sample.layers.size(); ++layer) {
    const SparseMatrix& matrix = sample.layers[layer].matrix;
    const int64_t fanout = fanouts[fanouts.size() - 1 - layer];
    for (int64_t i = 0; i < matrix.rows; ++i) {
      const auto local = matrix.indices.slice(matrix.offsets[i], matrix.offsets[i + 1]);
      const auto row = graph.row(sample.nodes[i]);
      GS_ASSERT(std::ssize(local) == std::min<int64_t>(fanout, std::ssize(row)));
      std::vector<int32_t> ids;
      for (const int32_t j : local) ids.push_back(sample.nodes[j]);
      std::sort(ids.begin(), ids.end());
      GS_ASSERT(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
      GS_ASSERT(std::includes(row.begin(), row.end(), ids.begin(), ids.end()));
    }
  }
}

nlohmann::ordered_json measure(const Dataset& data, const Settings& settings,
                               const std::vector<int64_t>& fanouts, int64_t workers) {
  LoaderOptions options;
  options.loader = "neighbor";
  options.fanouts = fanouts;
  options.batch_size = settings.batch_size;
  if (settings.weight) options.neighbor_sampling = NeighborSampling::weight;
  const auto loader = make_loader(data, options, {.layers = static_cast<int64_t>(fanouts.size())});
  Prefetch prefetch(*loader, {.workers = workers});
  for (int64_t i = 0; i < 2 * workers; ++i) check(data.graph, prefetch.next().sample, fanouts);

  int64_t edges = 0, nodes = 0, batches = 0;
  double cpu_seconds = 0;
  const double start = now();
  do {
    const Sample sample = prefetch.next().sample;
    for (const LayerGraph& layer : sample.layers) edges += layer.matrix.nonzeros();
    nodes += static_cast<int64_t>(sample.nodes.size());
    cpu_seconds += sample.sample_seconds;
    ++batches;
  } while (now() - start < settings.seconds);
  const double seconds = now() - start;
  return {{"fanouts", fanouts},
          {"workers", workers},
          {"batches", batches},
          {"edges_per_batch", edges / batches},
          {"nodes_per_batch", nodes / batches},
          {"seconds", seconds},
          {"edges_per_second", static_cast<double>(edges) / seconds},
          {"edges_per_cpu_second", static_cast<double>(edges) / cpu_seconds}};
}

void run(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto text = [&] {
      if (++i == argc) fail_usage(name, "needs a number");
      return std::string(argv[i]);
    };
    if (name == "--nodes") settings.nodes = std::stoll(text());
    else if (name == "--edges") settings.edges = std::stoll(text());
    else if (name == "--batch-size") settings.batch_size = std::stoll(text());
    else if (name == "--seconds") settings.seconds = std::stod(text());
    else if (name == "--weight") settings.weight = true;
    else if (name == "--json") settings.json = true;
    else fail_usage(name, "unknown option");
  }
  const Dataset data = make_graph(settings);
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const std::vector<int64_t>& fanouts : {std::vector<int64_t>{10, 10}, {32, 32}, {15, 10, 5}})
    for (const int64_t workers : {1, 2}) {
      cases.push_back(measure(data, settings, fanouts, workers));
      if (!settings.json)
        fmt::print("fan-outs {:<10} workers {}: {:5.1f} million edges/s, {:5.1f} per CPU second\n",
                   fmt::format("{}", fmt::join(fanouts, ",")), workers,
                   cases.back()["edges_per_second"].get<double>() / 1e6,
                   cases.back()["edges_per_cpu_second"].get<double>() / 1e6);
    }
  if (settings.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"nodes", data.nodes()},
                                              {"entries", data.graph.edges()},
                                              {"batch_size", settings.batch_size},
                                              {"by_weight", settings.weight},
                                              {"cases", cases}}
                           .dump());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_sampling: {}\n", error.what());
    return 1;
  }
  return 0;
}
