// Dropout masks as a pure function: element (row, column) of the mask `key` is kept or dropped
// whoever asks, in whatever order, on any number of threads. The key is that of a Random forked by
// seed, step, layer and view. One Philox block gives eight 16-bit draws; the probability is
// therefore a multiple of 1/65536, and so is the scale's.
#pragma once

#include <cstdint>

namespace gs {

struct DropoutRule {
  uint64_t key = 0;
  uint32_t threshold = 0;  // a draw below it is dropped; of 65536
  double scale = 1;        // of what is kept: 1 / (1 - threshold / 65536)
};

DropoutRule dropout_rule(uint64_t key, double probability);

// mask[r * columns + c] = scale or 0, for rows [first_row, first_row + rows).
template <class T>
void dropout_mask(const DropoutRule& rule, int64_t first_row, int64_t rows, int64_t columns,
                  T* mask);

}  // namespace gs
