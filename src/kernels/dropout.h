// Dropout masks as a pure function: element (row, column) of the mask `key` is kept or dropped
// no matter who asks, in whatever order, on any number of threads and any CPU. The key is that of a
// Random forked by seed, step, layer and view. Columns go in groups of 128: Philox block b of a
// group gives 16-bit draws for its columns b, b + 16, ... b + 112, which vector lanes can take as
// they come. The probability is therefore a multiple of 1/65536, and so is the scale's.
#pragma once

#include <cstdint>
#include <span>

namespace gs {

struct DropoutRule {
  uint64_t key = 0;
  uint32_t threshold = 0;  // a draw below it is dropped; of 65536
  double scale = 1;        // of what is kept: 1 / (1 - threshold / 65536)
  // The number of each row in the mask; null: its place. Must outlive what is drawn with the rule.
  const int64_t* rows = nullptr;

  int64_t row(int64_t place) const { return rows ? rows[place] : place; }
};

DropoutRule dropout_rule(uint64_t key, double probability);

// mask[r * columns + c] = scale or 0, for rows [first_row, first_row + rows). Plain code, the twin
// of kept_bits().
template <class T>
void dropout_mask(const DropoutRule& rule, int64_t first_row, int64_t rows, int64_t columns,
                  T* mask);

// The masks of several views side by side, as bits: bit c of row r, view v is at position
// v * columns + c of a row of bit_words(views * columns) words, and set when the element is kept.
constexpr int64_t bit_words(int64_t columns) { return (columns + 31) / 32; }
void kept_bits(std::span<const DropoutRule> views, int64_t first_row, int64_t rows, int64_t columns,
               uint32_t* bits);

}  // namespace gs
