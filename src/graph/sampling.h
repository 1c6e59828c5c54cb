// A sample of the neighborhood of some seeds, hop by hop: every node found so far keeps at most
// `fanout` of its neighbors, drawn without replacement. Made for speed: random numbers come in
// blocks, memory is fetched ahead, and nothing is allocated but the result once the workspace has
// grown.
//
// The draws of a row are a function of (random, the number of its node), and of nothing else: any
// process that has the row draws the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/random.h"
#include "graph/csr.h"
#include "graph/local_ids.h"

namespace gs {

// Belongs to one thread at a time; fits any graph.
struct SamplingWorkspace {
  struct Row {
    int64_t begin = 0;  // in graph.neighbors
    int64_t degree = 0;
  };
  struct Priority {
    double value;
    int32_t place;  // in the row
  };
  std::vector<int32_t> local;   // N or more entries, -1 between calls
  std::vector<Row> rows;        // rows of one hop
  std::vector<int64_t> chosen;  // positions in graph.neighbors, for a block of rows
  std::vector<uint32_t> marks;  // one per position of a row: those with the present mark are taken
  uint32_t mark = 0;
  std::vector<Priority> priorities;  // one per entry of a row
};

enum class Neighbors {
  uniform,  // every neighbor alike; an entry keeps its weight
  // Priority sampling (Duffield, Lund, Thorup 2007): entry i of weight w gets priority w / u, u
  // uniform in (0, 1]. The `fanout` largest are kept; with t the next one's priority, a kept entry
  // weighs max(w, t) and the others 0, which in expectation is w for each of them. Without weights
  // the same as uniform.
  weight,
};

// Row i is of the i-th node found. Entries are local ids of sources, in no particular order.
struct SampledRows {
  Array<int64_t> offsets;
  Array<int32_t> neighbors;
  Array<float> weights;  // empty: all ones
  // What a row's sum is multiplied with to have the whole row's sum in expectation: its degree over
  // its entries here. Empty: all ones.
  Array<float> factors;
};

class NeighborSampler {
 public:
  // Seeds are distinct, or an internal Error. `numbers`: of the nodes, for draws; empty: their ids.
  // Graph, workspace and numbers must outlive it.
  NeighborSampler(const Csr& graph, std::span<const int32_t> seeds, SamplingWorkspace& workspace,
                  std::span<const int64_t> numbers = {});

  // A row for every node found so far; then the sources of these rows count as found too.
  // `fanout` -1 keeps all.
  SampledRows hop(int64_t fanout, Neighbors how, const Random& random);

  const std::vector<int32_t>& nodes() const { return found_.nodes(); }  // seeds first
  std::vector<int32_t> take_nodes() { return found_.take_nodes(); }     // the last call

 private:
  int64_t measure_rows(int64_t fanout, int64_t* offsets);
  int64_t number_of(int64_t row) const {
    const int32_t node = found_.nodes()[static_cast<size_t>(row)];
    return numbers_.empty() ? node : numbers_[static_cast<size_t>(node)];
  }
  void draw_uniform(const SamplingWorkspace::Row& row, int64_t fanout, uint64_t key, int64_t number,
                    int64_t* chosen);
  void draw_by_weight(const SamplingWorkspace::Row& row, int64_t fanout, uint64_t key,
                      int64_t number, int64_t* chosen, float* weights);

  const Csr& graph_;
  SamplingWorkspace& workspace_;
  std::span<const int64_t> numbers_;
  LocalIds found_;
};

}  // namespace gs
