// Singular values of embeddings and weights, in double: from the eigenvalues of a Gram matrix,
// which is small however many rows there are. (In float its rounding alone looks like another
// direction: a collapse of many rows would not be seen.)
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace gs {

struct Spectrum {
  std::vector<double> values;  // relative to the largest, which comes first
  // exp of the entropy of the normalised singular values: about how many dimensions are in use. 0
  // of a zero matrix, NaN of one that is not finite (and then no values).
  double effective_rank = 0;
};

Spectrum spectrum_of_gram(const at::Tensor& gram);

// Of z's rows brought to unit length; of a matrix of many rows 20,000 at most, evenly spaced.
Spectrum spectrum_of_rows(const at::Tensor& z);

double effective_rank(const at::Tensor& z);  // that of spectrum_of_rows

}  // namespace gs
