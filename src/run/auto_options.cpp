#include "run/auto_options.h"

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

}  // namespace

bool has_auto_options(const ModelOptions& model) {
  return model.layers == 0 || model.skip == Skip::automatic;
}

ChosenOptions choose_auto_options(const RunOptions& options, const Dataset& data) {
  ChosenOptions out{options, {}, ""};
  ModelOptions& model = out.options.model;
  if (!has_auto_options(model)) return out;
  const FeatureAgreement found = feature_agreement(data.graph, data.features);
  // One hop is enough if a node has many words of its own. Few words, or noise, need the neighbors'
  // neighbors too, unless neighbors have nothing in common.
  if (model.layers == 0) {
    out.by_data.emplace_back("layers");
    model.layers = found.noisy() || (found.scarce() && !found.unrelated()) ? 2 : 1;
  }
  if (model.skip == Skip::automatic) {
    out.by_data.emplace_back("skip");
    const MethodGroup group = method_info(options.method.method).group;
    const bool ours = group == MethodGroup::ours || group == MethodGroup::reference;
    model.skip = found.unrelated() ? Skip::linear : ours && !found.noisy() ? Skip::sum : Skip::none;
  }
  out.note = fmt::format("chosen from the data: --layers {} --skip {} ({})", model.layers,
                         name_of(names_of(model.skip), model.skip), reason(found));
  return out;
}

}  // namespace gs
