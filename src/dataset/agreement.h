// What the features say about the edges, without a label: are neighbours more alike than strangers,
// and do the features say anything at all?
#pragma once

#include "dataset/dataset.h"

namespace gs {

struct FeatureAgreement {
  double values = 0;     // features of a node that are not zero, on average
  double agreement = 0;  // cosine of neighbours above that of strangers; 0: no more alike, 1: equal
  double spread = 0;     // variance of strangers' cosines x width; 1 for features that are noise

  // The features are little more than noise: strangers' cosines hardly differ, the less so where
  // neighbours' do not stand out either.
  bool noisy() const { return spread < (alike() ? 2 : 4); }
  // They say something, but not of the edges: an average over neighbours would lose what a node has
  // of its own.
  bool strangers() const { return !alike() && !noisy(); }
  bool alike() const { return agreement >= 0.02; }
  bool scarce() const { return values < 10; }
};

// From a sample of the edges, the same one every time. Strangers are ends of different edges, so
// that both have the degrees of neighbours. All zero without edges or features.
FeatureAgreement feature_agreement(const Csr& graph, const Features& features);

}  // namespace gs
