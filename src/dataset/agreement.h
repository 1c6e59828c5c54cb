// How well features agree with edges, without labels: whether neighbors are more alike than random
// pairs of nodes, and whether the features are more than noise.
#pragma once

#include "dataset/dataset.h"

namespace gs {

struct FeatureAgreement {
  double values = 0;  // mean number of nonzero features per node
  double agreement =
      0;              // cosine of neighbors above that of random pairs; 0: no more alike, 1: equal
  double spread = 0;  // variance of random pairs' cosines x width; 1 for features that are noise

  // The features are little more than noise: cosines of random pairs hardly differ, even less so if
  // those of neighbors do not stand out either.
  bool noisy() const { return spread < (alike() ? 2 : 4); }
  // They carry information, but none about the edges: averaging over neighbors would lose a node's
  // own features.
  bool unrelated() const { return !alike() && !noisy(); }
  bool alike() const { return agreement >= 0.02; }
  bool scarce() const { return values < 10; }
};

// From a sample of the edges, the same one every time. A random pair is two ends of different
// edges, so that degrees are distributed as those of neighbors. All zero without edges or features.
FeatureAgreement feature_agreement(const Csr& graph, const Features& features);

}  // namespace gs
