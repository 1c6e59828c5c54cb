// The Laplacian-Eigenmaps loss: similarity_weight x (mean squared distance of the two unit views) +
// gamma x constraint.
#pragma once

#include "base/options.h"

namespace gs {

enum class Constraint { columns, rows, scaled, naive };
inline constexpr Named<Constraint> kConstraints[] = {
    {"columns", Constraint::columns, "|Z'Z - I_K|_F, the paper's improved form"},
    {"rows", Constraint::rows, "|ZZ' - I_N|_F, the original form, computed through K x K matrices"},
    {"scaled", Constraint::scaled, "|(K/N) Z'Z - I_K|_F^2, independent of the number of rows"},
    {"naive", Constraint::naive, "|ZZ' - I_N|_F through the N x N matrix, for the ablation"}};
constexpr std::span<const Named<Constraint>> names_of(Constraint) { return kConstraints; }

struct LossOptions {
  std::string similarity_weight = "1000";  // a number, "sum" (N) or "element" (1/K)
  Constraint constraint = Constraint::scaled;
  double gamma = 10;

  void describe(OptionList& v);
  // The factor of the mean squared distance, for a batch of `rows` rows of `width`. Usage Error if
  // similarity_weight is none of these.
  double similarity_factor(int64_t rows, int64_t width) const;
};

}  // namespace gs
