// What a model does. Of the learned augmentations of a GraphSurgeon: which input features each head
// lets through how strongly, how far the two heads and the two views differ, which nodes the views
// disagree on, and how many directions the heads and the embeddings use. Of a solved embedding:
// what each graph filter contributes, and the features in its leading directions. No gradients;
// nothing is changed.
#pragma once

#include <cstdint>
#include <vector>

#include "method/graphsurgeon.h"
#include "method/spectral.h"
#include "objective/spectrum.h"

namespace gs {

// How strongly a feature gets through to each view, 1 being the median over features. In pre mode
// the length of its column in the head; in post mode, where heads come after the encoder, how far
// the view of a node without neighbors moves when it gets the feature and has no other.
struct FeatureGain {
  int64_t feature = 0;
  double first = 0, second = 0;
};

// Which features a head adds up.
struct Mixing {
  struct Pair {
    int64_t feature = 0, with = 0;
    double cosine = 0;
  };
  // The features that the head lets through most strongly, each with the one whose effect is most
  // alike (or opposite: a cosine below 0).
  std::vector<Pair> closest;
  // Number of features that make up a column, the median over columns: (sum e^2)^2 / sum e^4 over
  // the features' effects e on it.
  double features_each = 0;
};

struct NodeAgreement {
  int64_t node = 0;
  double cosine = 0;  // of the node's two views
};

struct ClassInsight {
  int64_t id = 0, nodes = 0;
  double agreement = 0;       // mean cosine
  double effective_rank = 0;  // of the class's embeddings
};

struct Insight {
  bool linear = true;  // heads of one layer; otherwise the gains are those of their first layer
  bool of_features = true;  // heads read features (pre); otherwise the encoder's columns (post)
  std::vector<FeatureGain> gains;  // one per input feature
  double gain_correlation = 0;     // of the two heads' gains over features
  Mixing mixing[2];
  // Degrees between the heads, ascending: between the subspaces that they read from or, if they
  // read all there is, those that they write to; empty if they fill both.
  std::vector<double> angles;
  bool angles_of_outputs = false;
  double weight_cosine = 0;  // of the two weight matrices as vectors
  double cka = 0;            // linear centered kernel alignment of the views
  Spectrum heads[2], views[2];
  Spectrum embedding;                   // of rows of unit length, as the loss has them
  std::vector<float> agreement;         // cosine of each node's views
  std::vector<NodeAgreement> disagree;  // the nodes where it is least, worst first
  std::vector<ClassInsight> classes;    // empty without labels; a node may have several
};

// A column of a solved embedding.
struct DirectionInsight {
  struct Weight {
    int64_t feature = 0;
    double weight = 0;  // relative to the largest of the column
  };
  double share = 0;              // of the part's energy
  std::vector<Weight> features;  // those with the largest weights, largest first
};

// The columns of one graph filter.
struct PartInsight {
  int64_t columns = 0;
  double share = 0;           // of the embedding's energy: the squared lengths of its columns
  double effective_rank = 0;  // exp of the entropy of the columns' shares
  std::vector<DirectionInsight> leading;
};

struct SolvedInsight {
  std::vector<PartInsight> parts;  // one per filter
  double magnitudes_share = 0;     // of the columns that hold sums and degrees
  Spectrum embedding;
  std::vector<ClassInsight> classes;  // without agreement, since there is only one view
};

// `top`: how many directions of a part, and how many features of each, to name. Data Error if the
// embeddings are not finite.
SolvedInsight inspect(const Spectral& model, const Batch& whole, const Labels& labels, int64_t top,
                      const InferenceOptions& options = {}, Progress& progress = no_progress());

// `top`: how many features and nodes to name. Data Error if the views are not finite.
Insight inspect(const GraphSurgeon& model, const Batch& whole, const Labels& labels, int64_t top,
                const InferenceOptions& options = {}, Progress& progress = no_progress());

}  // namespace gs
