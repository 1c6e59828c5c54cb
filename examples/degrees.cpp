// Loads any dataset that the command line takes and prints its hubs: degrees sbm:nodes=1000
#include <graphsurgeon/dataset/load.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

int main(int argc, char** argv) {
  try {
    const gs::Dataset data =
        gs::load_dataset(argc > 1 ? argv[1] : "sbm:nodes=1000,seed=1", gs::LoadOptions{});
    std::vector<int64_t> order(data.nodes());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return data.graph.degree(a) > data.graph.degree(b);
    });
    std::printf("%lld nodes, %lld stored edges\n", static_cast<long long>(data.nodes()),
                static_cast<long long>(data.graph.edges()));
    for (size_t i = 0; i < std::min<size_t>(5, order.size()); ++i)
      std::printf("node %lld has %lld neighbors\n", static_cast<long long>(order[i]),
                  static_cast<long long>(data.graph.degree(order[i])));
    return 0;
  } catch (const gs::Error& error) {
    std::fprintf(stderr, "error: %s\nhint: %s\n", error.what(), error.hint().c_str());
    return error.exit_code();
  }
}
