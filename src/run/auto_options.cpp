#include "run/auto_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "dataset/agreement.h"
#include "options/methods.h"

namespace gs {

namespace {

std::string reason(const FeatureAgreement& found) {
  if (found.noisy()) return "the features look like noise";
  if (found.unrelated())
    return "the features of neighbors are no more alike than those of random pairs";
  return fmt::format("the features of neighbors agree by {:.2f}, {:.0f} per node", found.agreement,
                     found.values);
}

bool has_negative(const Features& features) {
  const Array<float>& values =
      features.sparse() ? features.sparse_matrix().values : features.dense_matrix().values;
  return std::any_of(values.begin(), values.end(), [](float value) { return value < 0; });
}

// Shares of a row of few words are noisy, which their roots make up for; many words need that less.
constexpr double kManyValues = 30;

// Magnitudes say little where neighbors are alike, and much where they are not.
constexpr double kFewMagnitudes = 0.2, kManyMagnitudes = 0.5;

void choose_spectral(ChosenOptions& out, const Dataset& data) {
  ModelOptions& model = out.options.model;
  SpectralOptions& spectral = out.options.spectral;
  model.layers = std::max<int64_t>(1, model.layers);  // without effect
  if (model.skip == Skip::automatic) model.skip = Skip::none;
  std::vector<std::string> said;
  if (spectral.transform != Transform::automatic && spectral.magnitudes >= 0) return;
  const FeatureAgreement found = feature_agreement(data.graph, data.features);
  if (spectral.transform == Transform::automatic) {
    out.by_data.emplace_back("row-transform");
    const bool negative = has_negative(data.features), many = found.values >= kManyValues;
    spectral.transform = negative ? Transform::unit : many ? Transform::powers : Transform::shares;
    said.push_back(fmt::format(
        "rows {} (--row-transform {}), as {}",
        negative ? "have length 1"
        : many   ? "become 5/8 powers of length 1"
                 : "count as shares of their sum",
        name_of(names_of(spectral.transform), spectral.transform),
        negative
            ? "some feature is negative"
            : fmt::format("no feature is negative and a node has {:.0f} values", found.values)));
  }
  if (spectral.magnitudes < 0) {
    out.by_data.emplace_back("magnitudes");
    // Sums of |x| say little about features that have a sign.
    const bool few = found.alike() || spectral.transform == Transform::unit;
    spectral.magnitudes = few ? kFewMagnitudes : kManyMagnitudes;
    said.push_back(fmt::format("sums and degrees count {} (--magnitudes {}), as {}",
                               few ? "little" : "much", spectral.magnitudes, reason(found)));
  }
  if (!said.empty()) out.note = fmt::format("chosen from the data: {}", fmt::join(said, "; "));
}

void choose_encoder(ChosenOptions& out, const Dataset& data) {
  ModelOptions& model = out.options.model;
  if (!has_auto_options(model)) return;
  const FeatureAgreement found = feature_agreement(data.graph, data.features);
  // One hop is enough if a node has many words of its own. Few words, or noise, need the neighbors'
  // neighbors too, unless neighbors have nothing in common.
  if (model.layers == 0) {
    out.by_data.emplace_back("layers");
    model.layers = found.noisy() || (found.scarce() && !found.unrelated()) ? 2 : 1;
  }
  if (model.skip == Skip::automatic) {
    out.by_data.emplace_back("skip");
    const MethodGroup group = method_info(out.options.method.method).group;
    const bool ours = group == MethodGroup::ours || group == MethodGroup::reference;
    model.skip = found.unrelated() ? Skip::linear : ours && !found.noisy() ? Skip::sum : Skip::none;
  }
  const char* own = model.skip == Skip::linear ? "a node's own features beside its neighbors'"
                    : model.skip == Skip::sum  ? "layers summed"
                                               : "no skip";
  out.note = fmt::format("chosen from the data: {} layer{}, {} (--layers {} --skip {}), as {}",
                         model.layers, model.layers == 1 ? "" : "s", own, model.layers,
                         name_of(names_of(model.skip), model.skip), reason(found));
}

}  // namespace

bool has_auto_options(const ModelOptions& model) {
  return model.layers == 0 || model.skip == Skip::automatic;
}

ChosenOptions choose_auto_options(const RunOptions& options, const Dataset& data) {
  ChosenOptions out{options, {}, ""};
  const bool by_values = !data.treatment_reason.empty();
  if (by_values && options.load.features == FeatureRule::automatic) {
    out.options.load.features = data.feature_treatment.rule;
    out.by_data.emplace_back("features");
  }
  if (method_info(options.method.method).solved) choose_spectral(out, data);
  else choose_encoder(out, data);
  if (by_values)
    out.note = fmt::format("{} (--features raw keeps them)\n{}", data.treatment_reason, out.note);
  return out;
}

}  // namespace gs
