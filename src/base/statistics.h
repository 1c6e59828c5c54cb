// Mean and deviation of a few numbers.
#pragma once

#include <cmath>
#include <span>

namespace gs {

struct Spread {
  double mean = 0;
  double deviation = 0;  // population standard deviation, as numpy.std
};

// Both are 0 without values.
inline Spread spread_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / count)};
}

}  // namespace gs
