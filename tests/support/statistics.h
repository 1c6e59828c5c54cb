// Small statistics for tests of random draws. Draws in tests are seeded, so a test passes always or
// never; the limits are wide enough that a right sampler passes with nearly every seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace gs::test {

// Mean of some values and its standard error.
class Mean {
 public:
  void add(double value) {
    ++count_;
    const double step = value - mean_;
    mean_ += step / static_cast<double>(count_);
    squares_ += step * (value - mean_);
  }
  int64_t count() const { return count_; }
  double mean() const { return mean_; }
  double error() const {
    return std::sqrt(squares_ / static_cast<double>(count_ - 1) / static_cast<double>(count_));
  }

 private:
  int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

inline double chi_square(const std::vector<double>& seen, const std::vector<double>& expected) {
  double sum = 0;
  for (size_t i = 0; i < seen.size(); ++i)
    sum += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
  return sum;
}

// What a chi-square of so many degrees of freedom exceeds about once in 10 thousand (Wilson and
// Hilferty 1931).
inline double chi_square_limit(double freedom) {
  const double part = 2 / (9 * freedom), root = 1 - part + 3.72 * std::sqrt(part);
  return freedom * root * root * root;
}

}  // namespace gs::test
