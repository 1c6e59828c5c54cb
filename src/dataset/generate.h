// Generated graphs: an attributed, degree-corrected stochastic block model (homophily and feature
// signal are chosen), and R-MAT for size. In parallel and by seed: the same graph on any number of
// threads.
#pragma once

#include <string>

#include "base/options.h"
#include "base/progress.h"
#include "dataset/dataset.h"

namespace gs {

enum class Generator { sbm, rmat };
std::span<const Named<Generator>> names_of(Generator);
enum class FeatureKind {
  dense,
  words
};  // Gaussian around class means; sparse binary bag of words by class topics
std::span<const Named<FeatureKind>> names_of(FeatureKind);

struct GenerateOptions {
  Generator generator = Generator::sbm;
  int64_t nodes = 5000;
  double degree = 10;  // mean number of stored neighbours a node (M / N)
  int64_t edges = 0;   // stored directed entries wanted (M); 0: nodes x degree
  int64_t classes = 5;
  double homophily = 0.8;        // share of a node's edges that stay in its class (sbm)
  double degree_exponent = 2.5;  // power law of the degree correction; 0: all alike (sbm)
  int64_t features = 64;         // F; 0: none
  FeatureKind feature_kind = FeatureKind::dense;
  // How much a node's own features tell of its class. Dense: distance between two class means, the
  // noise having deviation 1 in every column. Words: share of a node's words that are drawn by
  // topic, the others by frequency alone. The default is weak: a node alone tells little, its
  // neighbourhood's mean a lot.
  double signal = 1;
  double words = 20;            // mean words a node (words)
  int64_t labels_per_node = 0;  // > 0: multi-label with this mean number of labels
  double unlabelled = 0;        // share of nodes without label
  int64_t seed = 0;

  void describe(OptionList& v);
};

Dataset generate(const GenerateOptions& options, Progress& progress = no_progress());
// "sbm:nodes=5000,classes=7", "rmat:nodes=1000,edges=20000": keys are the options' names. Usage
// Error when unknown.
GenerateOptions parse_generator(const std::string& spec);
bool is_generator(
    const std::string& spec);  // begins with a generator's name and ':' (or is just that name)

}  // namespace gs
