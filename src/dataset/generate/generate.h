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
inline constexpr Named<Generator> kGenerators[] = {
    {"sbm", Generator::sbm, "stochastic block model: classes, homophily, power-law degrees"},
    {"rmat", Generator::rmat,
     "R-MAT: recursive, with hubs, for size; labels and features do not follow its edges"},
};
constexpr std::span<const Named<Generator>> names_of(Generator) { return kGenerators; }

enum class FeatureKind { dense, words };
inline constexpr Named<FeatureKind> kFeatureKinds[] = {
    {"dense", FeatureKind::dense, "Gaussian around class means"},
    {"words", FeatureKind::words, "sparse binary bag of words by class topics"},
};
constexpr std::span<const Named<FeatureKind>> names_of(FeatureKind) { return kFeatureKinds; }

struct GenerateOptions {
  Generator generator = Generator::sbm;
  int64_t nodes = 5000;
  double degree = 10;  // mean number of stored neighbors per node (M / N)
  int64_t edges = 0;   // stored directed entries wanted (M); 0: nodes x degree
  int64_t classes = 5;
  double homophily = 0.8;        // share of a node's edges that stay in its class (sbm)
  double degree_exponent = 2.5;  // power law of the degree correction; 0: all alike (sbm)
  int64_t features = 64;         // F; 0: none
  FeatureKind feature_kind = FeatureKind::dense;
  // How strongly a node's own features depend on its class. Dense: distance between two class
  // means, with noise of standard deviation 1 in every column. Words: share of a node's words that
  // are drawn by topic; the others are drawn by frequency alone. The default is weak: a single node
  // says little about its class, the mean of its neighborhood a lot.
  double signal = 1;
  double words = 20;            // mean words per node (words)
  int64_t labels_per_node = 0;  // > 0: multi-label with this mean number of labels
  double unlabeled = 0;         // share of nodes without label
  int64_t seed = 0;

  void describe(OptionList& v);
};

Dataset generate(const GenerateOptions& options, Progress& progress = no_progress());
// "sbm:nodes=5000,classes=7", "rmat:nodes=1000,edges=20000": keys are the options' names, of today
// or of before. Usage Error for an unknown key.
GenerateOptions parse_generator(const std::string& spec);
// Whether `spec` is a generator's name, alone or followed by ':'.
bool is_generator(const std::string& spec);

}  // namespace gs
