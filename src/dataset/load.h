// From what a user typed to a Dataset: a catalog name ("photo"), a file or folder in any known
// format, or a generator
// ("sbm:nodes=5000,classes=7").
#pragma once

#include <string>

#include "base/options.h"
#include "base/progress.h"
#include "dataset/dataset.h"
#include "dataset/reader.h"

namespace gs {

enum class Switch { automatic, yes, no };
enum class LoopRule { automatic, keep, drop, add };
enum class FeatureRule { automatic, raw, binary, row_norm, standardize };
enum class MakeFeatures { none, degree, random, spectral };
std::span<const Named<Switch>> names_of(Switch);
std::span<const Named<LoopRule>> names_of(LoopRule);
std::span<const Named<FeatureRule>> names_of(FeatureRule);
std::span<const Named<MakeFeatures>> names_of(MakeFeatures);

struct LoadOptions {
  std::string data_root, format;
  Switch symmetrize = Switch::automatic;
  LoopRule self_loops = LoopRule::automatic;
  FeatureRule features = FeatureRule::automatic;
  std::string features_file, labels_file, splits_file;
  MakeFeatures make_features = MakeFeatures::none;
  int64_t make_width = 64;
  int64_t seed = 0;

  void describe(OptionList& v);
};

// Reads, checks and treats `data`. Everything wrong with it is a data Error with file and place.
Dataset load_dataset(const std::string& data, const LoadOptions& options,
                     Progress& progress = no_progress());

// The part after a reader: checks `raw` (ids in range, counts that agree, finite features, disjoint
// splits), builds the graph, applies the catalog's treatment where the data is one of its own and
// the user's overrides.
Dataset prepare(RawDataset raw, const std::string& format, const LoadOptions& options);

}  // namespace gs
