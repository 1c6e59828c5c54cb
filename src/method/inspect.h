// What the learned augmentations of a GraphSurgeon do: which input features each head lets through
// how strongly, how far the two heads and the two views differ, which nodes the views disagree on,
// and how many directions the heads and the embeddings use. No gradients; nothing is changed.
#pragma once

#include <cstdint>
#include <vector>

#include "method/graphsurgeon.h"

namespace gs {

struct FeatureGain {
  int64_t feature = 0;
  double first = 0, second = 0;  // length of the feature's column in each head, 1 being the median
};

struct Spectrum {
  std::vector<double> values;  // singular values, the largest being 1; at most 256 of them
  double effective_rank = 0;   // exp of the entropy of the normalised spectrum
};

struct NodeAgreement {
  int64_t node = 0;
  double cosine = 0;  // of the node's two views
};

struct ClassInsight {
  int64_t id = 0, nodes = 0;
  double agreement = 0, effective_rank = 0;  // mean cosine; of the class's embeddings
};

struct Insight {
  bool linear = true;       // heads of one layer: the gains tell all; else their first layer's
  bool of_features = true;  // heads read features (pre); else the encoder's columns (post)
  std::vector<FeatureGain> gains;  // one a column that the heads read
  double gain_correlation = 0;     // of the two heads' gains over features
  std::vector<double> angles;      // degrees between what the heads read, ascending; at most 256
  double weight_cosine = 0;        // of the two weight matrices as vectors
  double cka = 0;                  // linear centred kernel alignment of the views
  Spectrum heads[2], views[2], embedding;
  std::vector<float> agreement;         // cosine of each node's views
  std::vector<NodeAgreement> disagree;  // the nodes where it is least, worst first
  std::vector<ClassInsight> classes;    // where labels are known
};

// `worst`: how many of the nodes that disagree most to name.
Insight inspect(const GraphSurgeon& model, const Batch& whole, const Labels& labels, int64_t worst,
                const InferenceOptions& options = {}, Progress& progress = no_progress());

}  // namespace gs
