// Singular values of embeddings and weights, from the eigenvalues of a Gram matrix, whose size does
// not depend on the number of rows. In double: the rounding of floats looks like another direction
// and would hide a collapse of many rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "nn/batch.h"

namespace gs {

struct Spectrum {
  std::vector<double> values;  // relative to the largest, which comes first
  // exp of the entropy of the normalized singular values: about the number of dimensions in use. 0
  // for a zero matrix; NaN, and no values, for a matrix that is not finite.
  double effective_rank = 0;
};

Spectrum spectrum_of_gram(const at::Tensor& gram);

// The spectrum of z's rows at unit length, of at most 20,000 evenly spaced ones.
Spectrum spectrum_of_rows(const at::Tensor& z);

// The effective rank in spectrum_of_rows(z).
double effective_rank(const at::Tensor& z);

// That of the targets of a batch on all ranks. Collective. Evenly spaced are the numbers of the
// nodes before sharding.
double effective_rank(const at::Tensor& z, const Batch& batch);

}  // namespace gs
