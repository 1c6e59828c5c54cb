// The parts of a generated dataset: classes, the edges of each model, features. Not for use outside
// dataset/generate.
#pragma once

#include <cstdint>
#include <vector>

#include "base/progress.h"
#include "base/random.h"
#include "dataset/generate/generate.h"

namespace gs {

// Nodes by class: node_class[v], and the members of class c in order at members[begin[c]..begin[c +
// 1]).
struct ClassMembers {
  std::vector<int32_t> node_class, members;
  std::vector<int64_t> begin;

  int64_t classes() const { return static_cast<int64_t>(begin.size()) - 1; }
  int64_t size(int64_t c) const { return begin[c + 1] - begin[c]; }
};
// Class sizes differ by at most one.
ClassMembers assign_classes(int64_t nodes, int64_t classes, Random random);

EdgeList sbm_pairs(const GenerateOptions& options, const ClassMembers& groups, int64_t wanted,
                   const Random& random, Progress& progress);
EdgeList rmat_pairs(const GenerateOptions& options, int64_t wanted, const Random& random,
                    Progress& progress);

// `true_labels` has every node's labels, those that the dataset will hide too: features follow the
// truth.
Features make_generated_features(const GenerateOptions& options, const Labels& true_labels,
                                 const Random& random, Progress& progress);

}  // namespace gs
