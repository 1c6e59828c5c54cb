// The Laplacian-Eigenmaps loss: similarity_weight x (mean squared distance of the two unit views) +
// gamma x constraint.
#pragma once

#include "base/options.h"

namespace gs {

enum class Constraint {
  columns,  // |Z'Z - I_K|_F, the paper's improved form
  rows,     // |ZZ' - I_N|_F, the original form, by the K x K identity
  scaled,   // |(K/N) Z'Z - I_K|_F^2, which does not depend on the number of rows
  naive,    // |ZZ' - I_N|_F through the N x N matrix: for the ablation only
};
std::span<const Named<Constraint>> names_of(Constraint);

struct LossOptions {
  std::string similarity_weight = "1000";  // a number, "sum" (N) or "element" (1/K)
  Constraint constraint = Constraint::scaled;
  double gamma = 10;

  void describe(OptionList& v);
  // The factor of the mean squared distance, for a batch of `rows` rows of `width`. Usage Error
  // when it is no number.
  double similarity_factor(int64_t rows, int64_t width) const;
};

}  // namespace gs
