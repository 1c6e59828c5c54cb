// Train, validation and test nodes. A spec is what --splits takes:
//   auto            the data's own splits when it has any, else random:5/15/80
//   own             the data's own (data Error when it has none)
//   random:5/15/80  percent of the labeled nodes, a different split for each number, by seed
//   per-class:20    20 training nodes per class, 30 for validation, the rest test (per-class:20/30
//                   says both); a smaller class gives what it has, training first; one without
//                   labeled nodes is a data Error
//   public:k        the data's own split number k, from 0
// Unlabeled nodes are in no split; the three sets never overlap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/dataset.h"

namespace gs {

// `count` splits for random kinds; the data's own splits (all of them, or the chosen one)
// otherwise.
std::vector<Split> make_splits(const Dataset& data, const std::string& spec, int64_t count,
                               uint64_t seed);

// Data Error at `where` unless ids are in range and the three sets of each split are disjoint;
// drops unlabeled nodes.
void check_splits(std::vector<Split>& splits, int64_t nodes, const Labels& labels,
                  const std::string& where);

}  // namespace gs
