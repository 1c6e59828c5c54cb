#include "nn/pass.h"

namespace gs {

std::vector<DropoutRule> Pass::dropout(double probability, std::string_view site,
                                       int64_t layer) const {
  std::vector<DropoutRule> rules;
  if (training && probability > 0)
    for (int v = view; v < view + views; ++v) {
      rules.push_back(dropout_rule(masks.fork(site, layer, v).key(), probability));
      if (!rows.empty()) rules.back().rows = rows.data();
    }
  return rules;
}

}  // namespace gs
