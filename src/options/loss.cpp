#include "options/loss.h"

#include <cmath>

#include "base/text.h"

namespace gs {

void LossOptions::describe(OptionList& v) {
  v.group("Loss");
  v("similarity-weight", similarity_weight,
    "factor of the mean squared distance between the views: a number, sum (N) or element (1/K)");
  v("constraint", constraint, "term that keeps the embeddings from collapsing");
  v("gamma", gamma, "weight of the constraint").at_least(0).tune_log(1e-4, 1000);
}

double LossOptions::similarity_factor(int64_t rows, int64_t width) const {
  if (similarity_weight == "sum") return static_cast<double>(rows);
  if (similarity_weight == "element") return 1.0 / static_cast<double>(width);
  const auto value = parse_number(similarity_weight);
  if (!value || !std::isfinite(*value) || *value < 0)
    fail_usage("--similarity-weight",
               fmt::format("'{}' is neither a number nor 'sum' nor 'element'",
                           printable(similarity_weight)),
               "the authors' code uses 1000");
  return *value;
}

}  // namespace gs
