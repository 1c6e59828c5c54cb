#include "kernels/dropout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/graphs.h"

namespace gs {
namespace {

template <class T = double>
std::vector<T> mask_of(const DropoutRule& rule, int64_t first_row, int64_t rows, int64_t columns) {
  std::vector<T> mask(static_cast<size_t>(rows * columns), T{-1});
  dropout_mask(rule, first_row, rows, columns, mask.data());
  return mask;
}

int64_t kept_in(const std::vector<double>& mask) {
  return std::count_if(mask.begin(), mask.end(), [](double v) { return v != 0; });
}

// Four deviations of a count of `trials` with the given chance.
double four_sigma(double trials, double chance) {
  return 4 * std::sqrt(trials * chance * (1 - chance));
}

TEST(Dropout, MaskIsTheSameForAnyNumberOfThreads) {
  const DropoutRule rule = dropout_rule(99, 0.4);
  const auto expected = mask_of(rule, 0, 3001, 37);
  for (const int count : test::kThreadCounts) {
    const ThreadScope threads(count);
    EXPECT_EQ(mask_of(rule, 0, 3001, 37), expected) << count << " threads";
  }
}

TEST(Dropout, KeepsTheShareAskedFor) {
  for (const double probability : {0.05, 0.3, 0.5, 0.85, 0.99}) {
    const double n = 2000 * 128;
    const auto mask = mask_of(dropout_rule(7, probability), 0, 2000, 128);
    EXPECT_NEAR(static_cast<double>(kept_in(mask)), n * (1 - probability),
                four_sigma(n, probability))
        << probability;
  }
}

// The eight draws of one Philox block, and the first and last columns of a row, are all fair.
TEST(Dropout, KeepsTheShareInEveryColumn) {
  constexpr int64_t kRows = 20000, kColumns = 19;
  const auto mask = mask_of(dropout_rule(8, 0.3), 0, kRows, kColumns);
  for (int64_t c = 0; c < kColumns; ++c) {
    int64_t kept = 0;
    for (int64_t r = 0; r < kRows; ++r) kept += mask[r * kColumns + c] != 0;
    EXPECT_NEAR(static_cast<double>(kept), 0.7 * kRows, four_sigma(kRows, 0.3)) << "column " << c;
  }
}

TEST(Dropout, NeighboringElementsAreIndependent) {
  constexpr int64_t kRows = 5000, kColumns = 40;
  const auto mask = mask_of(dropout_rule(3, 0.5), 0, kRows, kColumns);
  for (const int64_t step : {int64_t{1}, int64_t{2}, int64_t{8}, kColumns, kColumns + 1}) {
    int64_t equal = 0, pairs = 0;
    for (int64_t i = 0; i + step < kRows * kColumns; i += 1, ++pairs)
      equal += (mask[i] != 0) == (mask[i + step] != 0);
    EXPECT_NEAR(static_cast<double>(equal), 0.5 * pairs, four_sigma(pairs, 0.5)) << "step " << step;
  }
}

TEST(Dropout, MaskOfARangeOfRowsIsThatSliceOfTheWholeMask) {
  constexpr int64_t kColumns = 11;
  const DropoutRule rule = dropout_rule(5, 0.5);
  const auto whole = mask_of(rule, 0, 100, kColumns);
  for (const auto& [begin, end] : {std::pair{0, 1}, {13, 57}, {99, 100}, {40, 40}})
    EXPECT_EQ(
        mask_of(rule, begin, end - begin, kColumns),
        std::vector<double>(whole.begin() + begin * kColumns, whole.begin() + end * kColumns));
}

TEST(Dropout, AnElementDoesNotDependOnTheWidthOfTheMatrix) {
  const DropoutRule rule = dropout_rule(5, 0.5);
  const auto wide = mask_of(rule, 0, 50, 29), narrow = mask_of(rule, 0, 50, 10);
  for (int64_t r = 0; r < 50; ++r)
    for (int64_t c = 0; c < 10; ++c) EXPECT_EQ(narrow[r * 10 + c], wide[r * 29 + c]);
}

TEST(Dropout, RowsFarDownHaveMasksOfTheirOwn) {  // beyond 32 bits of row number
  const DropoutRule rule = dropout_rule(5, 0.5);
  EXPECT_NE(mask_of(rule, 0, 4, 64), mask_of(rule, int64_t{1} << 32, 4, 64));
}

TEST(Dropout, EveryPartOfTheKeyMatters) {
  const auto mask = [](uint64_t seed, int step, int layer, int view) {
    return mask_of(
        dropout_rule(Random(seed).fork("step", step).fork("encoder", layer, view).key(), 0.5), 0,
        50, 64);
  };
  const auto base = mask(1, 2, 3, 0);
  EXPECT_EQ(mask(1, 2, 3, 0), base);
  for (const auto& other : {mask(2, 2, 3, 0), mask(1, 3, 3, 0), mask(1, 2, 4, 0), mask(1, 2, 3, 1),
                            mask(1, 3, 2, 0), mask(1, 2, 0, 3)}) {
    int64_t equal = 0;
    for (size_t i = 0; i < base.size(); ++i) equal += other[i] == base[i];
    EXPECT_NEAR(static_cast<double>(equal), 0.5 * base.size(), four_sigma(base.size(), 0.5));
  }
}

TEST(Dropout, ScaleMakesTheMaskUnbiased) {
  for (const double probability : {0.0, 0.1, 0.2333, 0.5, 0.8422, 0.99}) {
    const DropoutRule rule = dropout_rule(1, probability);
    EXPECT_NEAR(rule.threshold / 65536.0, probability, 0.5 / 65536) << probability;
    EXPECT_NEAR(rule.scale * (1 - rule.threshold / 65536.0), 1, 1e-15) << probability;
    for (const double value : mask_of(rule, 0, 20, 20))
      EXPECT_TRUE(value == 0 || value == rule.scale) << value;
  }
}

TEST(Dropout, ZeroKeepsAllAndOneIsStillFinite) {
  EXPECT_EQ(mask_of(dropout_rule(1, 0), 0, 30, 30), std::vector<double>(900, 1.0));
  const DropoutRule rule = dropout_rule(1, 1);
  EXPECT_TRUE(std::isfinite(rule.scale));
  EXPECT_LE(kept_in(mask_of(rule, 0, 30, 30)), 2);
}

TEST(Dropout, FloatAndDoubleDropTheSameElements) {
  const DropoutRule rule = dropout_rule(17, 0.25);
  const auto doubles = mask_of<double>(rule, 3, 41, 23);
  const auto floats = mask_of<float>(rule, 3, 41, 23);
  for (size_t i = 0; i < doubles.size(); ++i)
    EXPECT_EQ(floats[i], static_cast<float>(doubles[i])) << i;
}

}  // namespace
}  // namespace gs
