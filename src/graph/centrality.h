// How central the nodes of a graph are, by three measures that agree on hubs and differ on their
// surroundings. All values are finite and not negative; the same on any number of threads.
#pragma once

#include <vector>

#include "graph/csr.h"

namespace gs {

// Weight of the entries that a node hears from.
std::vector<double> degree_centrality(const Csr& graph);

// The share of time that a walk along the edges, which jumps anywhere with probability
// 1 - `damping`, spends at each node; nodes without edges out jump. Adds up to 1.
std::vector<double> pagerank_centrality(const Csr& graph, double damping = 0.85,
                                        int64_t iterations = 100);

// The leading eigenvector of A, of length 1, by power iteration on A + I, which has the same one
// and no second eigenvalue of the same size where the graph is bipartite.
std::vector<double> eigenvector_centrality(const Csr& graph, int64_t iterations = 200);

}  // namespace gs
