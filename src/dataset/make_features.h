// Features made from the graph alone, for data that has none; by seed, the same on any number of
// threads.
//   degree    sparse: a 1 in column 4 log2(1 + degree), rounded, at most width - 1. Degree is how
//             many nodes send messages to a node. The columns mean the same in every graph, so that
//             a model can embed another one
//   random    dense: independent normal numbers of variance 1 / width
//   spectral  dense: the leading eigenvectors of the normalized adjacency (spectral.h); columns
//             past N are 0
#pragma once

#include <cstdint>
#include <string_view>

#include "dataset/load.h"

namespace gs {

// Follows the kind's name in the treatment of a dataset whose features were made.
constexpr std::string_view kFeaturesMade = "features made";

Features make_features(MakeFeatures kind, const Csr& graph, int64_t width, uint64_t seed);

}  // namespace gs
