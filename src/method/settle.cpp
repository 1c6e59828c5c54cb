#include "method/settle.h"

#include "config/methods.h"
#include "dataset/agreement.h"

namespace gs {

namespace {

std::string reason(const FeatureAgreement& found) {
  if (found.noisy()) return "the features look like noise";
  if (found.strangers()) return "neighbours' features are no more alike than strangers'";
  return fmt::format("neighbours' features agree by {:.2f}, {:.0f} a node", found.agreement,
                     found.values);
}

}  // namespace

bool is_settled(const ModelOptions& model) {
  return model.layers > 0 && model.skip != Skip::automatic;
}

Settled settle(const RunOptions& options, const Dataset& data) {
  Settled out{options, {}, ""};
  ModelOptions& model = out.options.model;
  if (is_settled(model)) return out;
  const FeatureAgreement found = feature_agreement(data.graph, data.features);
  // One hop gathers enough where a node has many words of its own. Few words, or noise, want the
  // neighbours' neighbours too, unless neighbours have nothing in common.
  if (model.layers == 0) {
    out.by_data.emplace_back("layers");
    model.layers = found.noisy() || (found.scarce() && !found.strangers()) ? 2 : 1;
  }
  if (model.skip == Skip::automatic) {
    out.by_data.emplace_back("skip");
    const MethodGroup group = method_info(options.method.method).group;
    const bool ours = group == MethodGroup::ours || group == MethodGroup::reference;
    model.skip = found.strangers() ? Skip::linear : ours && !found.noisy() ? Skip::sum : Skip::none;
  }
  out.note = fmt::format("by the data: --layers {} --skip {} ({})", model.layers,
                         name_of(names_of(model.skip), model.skip), reason(found));
  return out;
}

}  // namespace gs
