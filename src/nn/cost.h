// What products cost, in picoseconds on two cores: fixed numbers measured once (bench/kernels), not
// timed at run time, so that the choices below, and with them the bits of a result, repeat. The
// ratios between them matter, and those hardly change from one CPU to the next.
#pragma once

#include <cstdint>

namespace gs {

constexpr double kDenseCost = 13;       // an element of a dense x times a column of the weight
constexpr double kSparseCost = 50;      // a stored element of a sparse x times a column
constexpr double kAggregateCost = 100;  // a stored element of an adjacency times a column
constexpr int64_t kDenseLimit = int64_t{1} << 27;  // elements; a larger dense matrix is not made

// Features x of `rows` x `columns` with `nonzeros` stored: is x W' cheaper with a dense x?
inline bool dense_is_cheaper(int64_t rows, int64_t columns, int64_t nonzeros) {
  const double elements = static_cast<double>(rows) * static_cast<double>(columns);
  return elements <= static_cast<double>(kDenseLimit) &&
         elements * kDenseCost < static_cast<double>(nonzeros) * kSparseCost;
}

// Dense constant features: A x W' costs the aggregation in every step, (A x) W' only once, in
// memory for one more matrix of the features' size. Always worth it while that is bearable, or not
// much beside the training's own matrices of `width` columns.
inline bool aggregate_once(int64_t rows, int64_t columns, int64_t width) {
  return columns <= 2 * width || rows * columns <= 2 * kDenseLimit;
}

// A layer of `targets` that hear from `sources` over `entries`, W' being `in` x `out`: is (A x) W'
// cheaper than A (x W')? On a whole graph the narrow side is aggregated. A sampled layer has many
// more sources than targets, and multiplies for the targets alone when it aggregates first.
inline bool aggregating_first_is_cheaper(int64_t targets, int64_t sources, int64_t entries,
                                         int64_t in, int64_t out) {
  const auto cost = [&](int64_t rows, int64_t width) {
    return static_cast<double>(rows) * static_cast<double>(in * out) * kDenseCost +
           static_cast<double>(entries) * static_cast<double>(width) * kAggregateCost;
  };
  return cost(targets, in) < cost(sources, out);
}

}  // namespace gs
