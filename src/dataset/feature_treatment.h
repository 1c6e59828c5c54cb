// What is done to features before a model sees them. A treatment keeps what it took from the data
// that it was fitted on, so that a run treats other data exactly like its training data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/registry.h"
#include "dataset/features.h"

namespace gs {

enum class FeatureRule { automatic, raw, binary, row_norm, standardize, min_max };
inline constexpr Named<FeatureRule> kFeatureRules[] = {
    {"auto", FeatureRule::automatic,
     "the convention of the dataset; for other data by the values: sparse counts become binary, "
     "for methods that train other weights of words too; dense columns whose ranges differ tenfold "
     "are scaled (min-max, or standardize if some values "
     "are negative), anything else is left unchanged"},
    {"raw", FeatureRule::raw, "unchanged"},
    {"binary", FeatureRule::binary, "1 where positive, else 0"},
    {"row-norm", FeatureRule::row_norm, "rows sum to 1"},
    {"standardize", FeatureRule::standardize,
     "columns of mean 0 and standard deviation 1, as of the training data"},
    {"min-max", FeatureRule::min_max,
     "columns scaled to [0, 1] by the range of the training data; lower values count as 0"},
};
constexpr std::span<const Named<FeatureRule>> names_of(FeatureRule) { return kFeatureRules; }

struct FeatureTreatment {
  FeatureRule rule = FeatureRule::raw;  // never automatic
  // standardize and min-max: column c becomes (x - shift[c]) * scale[c]; empty for other rules.
  std::vector<float> shift, scale;
  std::vector<std::string> columns;  // names of the columns, if the data has them
  // How `data import` made the features from the columns of a table, as JSON; empty for other data.
  // Data of another recipe means something else by the same columns.
  std::string recipe;
};

// What suits the values of data that has no convention of its own, and why; an empty reason if they
// are left as they are.
struct SuitableRule {
  FeatureRule rule = FeatureRule::raw;
  std::string reason;
};
// `binary_weights`: fractional weights of sparse words, such as TF-IDF, become binary too.
SuitableRule suitable_rule(const Features& features, bool binary_weights);

// `rule` is not automatic.
FeatureTreatment fitted_treatment(FeatureRule rule, const Features& features);
// Data Error at `where` if it was fitted on another number of columns.
void check_treatment(const FeatureTreatment& treatment, int64_t width, const std::string& where);
Features treated(const FeatureTreatment& treatment, Features features);
// Data Error at `where` unless the data's recipe is that of the treatment.
void check_recipe(const FeatureTreatment& treatment, const std::string& recipe,
                  const std::string& where);
// Whether both do the same to a feature.
bool same_treatment(const FeatureTreatment& a, const FeatureTreatment& b);
// "features binarized"; empty for raw.
std::string_view done_to_features(FeatureRule rule);

// The columns in the order of `wanted`. Columns of sparse features that are absent are 0. Data
// Error at `where` if a column of dense features is missing, if one is unknown, or if a name is not
// unique.
Features arranged(const Features& features, const std::vector<std::string>& names,
                  const std::vector<std::string>& wanted, const std::string& where);

}  // namespace gs
