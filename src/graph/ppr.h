// Personalized PageRank by forward push (Andersen, Chung, Lang 2006): the share of time that a walk
// spends at each node when it stops and restarts at the seed with probability alpha at every step.
// From v the walk goes to a node of row v, one that v hears from, in proportion to weight; pass
// reverse(graph) to walk along the edges instead. Where a row has no weight the walk restarts. Work
// per seed is at most about 1 / (alpha * epsilon) steps, whatever the graph's size.
//
// Scores are never above the true ones. With d(v) the row's weight in units of the graph's mean
// entry weight (the plain degree without weights), a symmetric graph without empty rows on the way
// has score(v) >= true(v) - epsilon * d(v). On any graph the scores of a seed add up to at least 1
// - epsilon * (sum of d over the nodes reached; an empty row counts 1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/csr.h"

namespace gs {

struct PprOptions {
  double alpha = 0.15;    // restart probability, in (0, 1]
  double epsilon = 1e-4;  // precision, above 0
  int64_t top_k = 0;      // keep that many nodes per seed; 0: all that were reached
};

struct PprScores {  // highest score first, ties by id
  std::vector<int32_t> nodes;
  std::vector<float> scores;
};

// One result per seed, in their order; in parallel over seeds, with the same result on any number
// of threads.
std::vector<PprScores> personalized_pagerank(const Csr& graph, std::span<const int32_t> seeds,
                                             const PprOptions& options);

}  // namespace gs
