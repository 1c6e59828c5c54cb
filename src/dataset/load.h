// Loads a Dataset by what a user typed: a catalog name ("photo"), a file or folder in any known
// format, or a generator ("sbm:nodes=5000,classes=7").
//
// Thread safety: functions here hold no state; several threads may load at once.
#pragma once

#include <memory>
#include <string>

#include "base/options.h"
#include "base/progress.h"
#include "dataset/catalog.h"
#include "dataset/dataset.h"
#include "dataset/feature_treatment.h"
#include "dataset/reader.h"

namespace gs {

enum class Switch { automatic, yes, no };
enum class LoopRule { automatic, keep, drop, add };
enum class MakeFeatures { none, degree, random, spectral };

inline constexpr Named<Switch> kSwitches[] = {
    {"auto", Switch::automatic, "the convention of the dataset or format"},
    {"yes", Switch::yes, "always"},
    {"no", Switch::no, "never"},
};
constexpr std::span<const Named<Switch>> names_of(Switch) { return kSwitches; }

inline constexpr Named<LoopRule> kLoopRules[] = {
    {"auto", LoopRule::automatic, "the convention of the dataset or format"},
    {"keep", LoopRule::keep, "leave them as in the file"},
    {"drop", LoopRule::drop, "remove them"},
    {"add", LoopRule::add, "add one to every node that has none"},
};
constexpr std::span<const Named<LoopRule>> names_of(LoopRule) { return kLoopRules; }

inline constexpr Named<MakeFeatures> kMakeFeatures[] = {
    {"none", MakeFeatures::none, "make none"},
    {"degree", MakeFeatures::degree, "one-hot encoding of the logarithm of the degree"},
    {"random", MakeFeatures::random, "Gaussian noise"},
    {"spectral", MakeFeatures::spectral, "leading eigenvectors of the normalized adjacency"},
};
constexpr std::span<const Named<MakeFeatures>> names_of(MakeFeatures) { return kMakeFeatures; }

struct LoadOptions : DataRoot {
  std::string format;
  Switch symmetrize = Switch::automatic;
  LoopRule self_loops = LoopRule::automatic;
  FeatureRule features = FeatureRule::automatic;
  std::string features_file, labels_file, splits_file;
  MakeFeatures make_features = MakeFeatures::none;
  int64_t make_width = 64;
  int64_t seed = 0;
  // No option: how a run treated the features that it was trained on. Other data is treated alike,
  // whatever `features` says.
  std::shared_ptr<const FeatureTreatment> fitted;
  bool binary_weights = false;  // no option: see suitable_rule()

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
